"""The report's section on intervals under weaker assumptions than the verdict's: sign flips, max-t, BCa."""

from collections.abc import Mapping

from tools.report.claims.facts import Facts, facts
from tools.report.claims.sequential import fixed_seeds_warning
from tools.statistics.sensitivity import bca as bootstrap
from tools.statistics.sensitivity import max_t as family
from tools.statistics.sensitivity.bca import Bca, measured
from tools.statistics.sensitivity.max_t import MaxT
from tools.statistics.sensitivity.sign_flip import SignFlip
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text


def section(flips: Mapping[str, SignFlip], bca: Mapping[str, Bca], max_t: MaxT | None, comparison: Comparison) -> str:
    """Returns Markdown without a heading; flips, bca: by summary, at the family confidence; max_t: None for k = 1."""
    one = facts(comparison)
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so no other interval is computed from them either."
    if one.n < 2:
        return f"{one.pairs}: no method gives an interval from fewer than two."
    parts = [
        _lead(one), fixed_seeds_warning(one), _table(flips, bca, max_t, one), _about_flips(flips, one),
        _about_bca(bca, one), _about_max_t(max_t, one),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _lead(one: Facts) -> str:
    return (
        f"The verdict uses {_verdicts(one)}, which assumes normal differences. Beside it are other methods at the same "
        f"{numbers.percent(one.comparison.family_confidence)} level (family of {one.comparison.k}) under other "
        "assumptions. They are checks: where they disagree, the verdict stands and the disagreement is reported."
    )


def _table(flips: Mapping[str, SignFlip], bca: Mapping[str, Bca], max_t: MaxT | None, one: Facts) -> str:
    adjusted = max_t.p.get(one.comparison.treatment) if max_t else None
    columns: list[Column | str] = [
        "summary",
        Column("n", "right"),
        Column("repeated" if one.comparison.repeated else "paired t", "right"),
        Column("sign flip", "right"),
        Column("sign-flip p, alone", "right"),
        Column("BCa", "right"),
    ]
    if adjusted is not None:
        columns.append(Column("max-t p, family", "right"))
    rows = []
    for summary in one.summaries:
        flip, boot = flips[summary.summary], bca[summary.summary]
        row = [
            text(summary.summary),
            str(flip.n),
            numbers.interval(summary.low_family, summary.high_family),
            numbers.interval(flip.low, flip.high),
            numbers.p_value(flip.p),
            numbers.interval(boot.low, boot.high),
        ]
        rows.append(row if adjusted is None else [*row, numbers.p_value(adjusted.get(summary.summary))])
    return table(columns, rows)


def _about_flips(flips: Mapping[str, SignFlip], one: Facts) -> str:
    first = next(iter(flips.values()))
    if all(item.p is None for item in flips.values()):
        return "The differences do not vary under any summary, so flips and resamples give no information."
    how = (
        f"all {first.flips:,} flips"
        if first.enumerated
        else f"{first.flips:,} flips, {first.flips - 1:,} of them drawn at random"
    )
    said = f"**Sign flip** assumes only that the differences are symmetric about their mean; {how} (n = {first.n})."
    if not first.usable and first.n >= first.fewest_pairs:
        return f"{said} So few flips cannot reach this level: there is no interval."
    if not first.usable:
        smallest = 2.0 / 2**first.n
        return (
            f"{said} Its smallest possible p is 2 / 2^{first.n} = {numbers.p_value(smallest)}, so at this level it "
            f"can exclude nothing and has no interval: it needs {first.fewest_pairs} pairs."
        )
    return f"{said}{_doubts({name: (item.low, item.high) for name, item in flips.items()}, one)}"


def _doubts(limits: Mapping[str, tuple[float | None, float | None]], one: Facts) -> str:
    """Returns the summaries where another interval and the verdict's disagree on zero."""
    known = {name: pair for name, pair in limits.items() if pair[0] is not None and pair[1] is not None}
    if not known:
        return ""
    excluding = {name for name, (low, high) in known.items() if (low or 0.0) > 0 or (high or 0.0) < 0}
    paired = {*one.above, *one.below}
    order = [summary.summary for summary in one.summaries]
    less = [name for name in order if name in paired & known.keys() - excluding]
    more = [name for name in order if name in excluding - paired]
    said = ""
    if less:
        said += f" It does not exclude zero under {_named(less)}, where {_verdicts(one)} does."
    if more:
        said += f" It excludes zero under {_named(more)}, where {_verdicts(one)} does not: no claim rests on that."
    return said or f" It agrees with {_verdicts(one)} on which summaries exclude zero."


def _about_bca(bca: Mapping[str, Bca], one: Facts) -> str:
    first = next(iter(bca.values()))
    if first.n >= bootstrap.FEWEST_PAIRS and all(item.low is None for item in bca.values()):
        return ""
    if first.n < bootstrap.FEWEST_PAIRS:
        return (
            f"**BCa** (bootstrap over pairs) is given from {bootstrap.FEWEST_PAIRS} pairs on: n = {first.n} is too few "
            "to resample."
        )
    table = measured()
    cell = table.nearest(first.n, first.confidence)
    return (
        f"**BCa** resamples whole pairs {first.resamples:,} times and assumes that these {first.n} pairs represent "
        f"the distribution. It tends to be too narrow: in {table.studies:,} simulated studies each of n = {cell.n} "
        f"pairs, the {numbers.percent(cell.confidence)} BCa interval covered the true mean in {_shares(cell.bca)}; "
        f"paired t in {_shares(cell.paired_t)} (Monte Carlo error about "
        f"{numbers.fixed(100 * table.standard_error, 1)} %)."
        f"{_doubts({name: (item.low, item.high) for name, item in bca.items()}, one)}"
    )


def _shares(shares: Mapping[str, float]) -> str:
    return numbers.listed([f"{numbers.percent(share)} ({shape})" for shape, share in shares.items()])


def _about_max_t(max_t: MaxT | None, one: Facts) -> str:
    if max_t is None:
        return ""
    if max_t.n < family.FEWEST_PAIRS:
        return (
            f"**Max-t**, the check for the whole family, needs at least {family.FEWEST_PAIRS} seeds shared by the "
            f"control and {numbers.every(max_t.k, 'treatment')}: here n = {max_t.n}."
        )
    return (
        f"**Max-t** flips whole seed rows of {numbers.every(max_t.k, 'treatment')} at once (n = {max_t.n} seeds "
        f"that all arms share, {max_t.flips:,} flips) and compares each treatment with the largest |t| of the family. "
        "It keeps the correlation caused by the shared control and assumes joint symmetry about zero. Its p is "
        f"already adjusted for the family, under each summary separately: compare it with "
        f"{numbers.fixed(1 - one.comparison.confidence, 2)}."
    )


def _verdicts(one: Facts) -> str:
    return "the repeated t interval" if one.comparison.repeated else "the t interval"


def _named(names: list[str]) -> str:
    return numbers.listed([text(name) for name in names])
