"""The report's section on secondary views: the interquartile mean and the probability of improvement."""

from tools.report.claims.facts import facts
from tools.report.claims.sequential import fixed_seeds_warning
from tools.statistics.sensitivity.secondary import Secondary
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text


def section(result: Secondary, comparison: Comparison) -> str:
    """Returns the secondary views of one comparison as Markdown without a heading."""
    one = facts(comparison)
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so no secondary view of them is computed."
    if result.iqm_difference is None:
        return "No seed is complete in both arms: there is no secondary view."
    level = numbers.percent(result.confidence)
    columns: list[Column | str] = [
        "secondary view",
        Column("n", "right"),
        Column("value", "right"),
        Column(f"{level} interval (unadjusted)", "right"),
        Column("value at no difference", "right"),
    ]
    rows = [
        [
            f"interquartile mean, {text(one.difference)} (points)",
            str(result.n),
            numbers.signed(result.iqm_difference),
            numbers.interval(result.low_iqm, result.high_iqm),
            "0",
        ],
        [
            "probability of improvement",
            str(result.n),
            numbers.fixed(result.improvement),
            numbers.interval(result.low_improvement, result.high_improvement),
            "0.50",
        ],
    ]
    parts = [_lead(result), fixed_seeds_warning(one), table(columns, rows), _method(result)]
    return "\n\n".join(part for part in parts if part)


def _lead(result: Secondary) -> str:
    return (
        "Secondary views (Agarwal et al. 2021), not used by the verdict. The interquartile mean is the mean of the "
        f"middle half of all {result.n} x {result.benchmarks} scores of an arm, whichever benchmarks they come from. "
        "The probability of improvement is that of a treatment run scoring above a control run, averaged over "
        "benchmarks: it measures how often, not by how much."
    )


def _method(result: Secondary) -> str:
    if result.n < 2:
        return "n = 1 seed pair gives no interval."
    text = (
        f"Intervals leave out one seed at a time in both arms, on all benchmarks at once, so pairs stay together "
        f"(jackknife, t with {result.n - 1} {'degree' if result.n == 2 else 'degrees'} of freedom; assumes that the "
        "seeds' contributions to the value are about normal)."
    )
    missing = []
    if result.low_iqm is None:
        missing.append("the interquartile mean")
    if result.low_improvement is None:
        missing.append("the probability of improvement")
    if missing:
        text += f" For {numbers.listed(missing)} no seed changes the value, so there is no spread and no interval."
    return text
