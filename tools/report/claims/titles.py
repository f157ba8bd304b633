"""Titles and verdict names: a neutral answer to the question."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tools.report.claims.facts import Facts, excluded_above, facts
from tools.statistics.verdict_model import Comparison, OverallVerdict, Verdict
from tools.text import numbers


def title(verdict: Verdict) -> str:
    """Returns the report's first heading: question and answer in one line."""
    if len(verdict.comparisons) == 1:
        return comparison_title(verdict.comparisons[0])
    answers: dict[str, list[str]] = {}
    for one in verdict.comparisons:
        answers.setdefault(_short_answer(facts(one)), []).append(one.treatment)
    control = verdict.comparisons[0].control
    question = f"Do {numbers.listed([one.treatment for one in verdict.comparisons])} beat {control}?"
    parts = [
        (answer if at else numbers.capital(answer)).format(
            names=numbers.listed(names), are="is" if len(names) == 1 else "are"
        )
        for at, (answer, names) in enumerate(answers.items())
    ]
    return f"{question} {'; '.join(parts)}"


def _short_answer(one: Facts) -> str:
    """Returns a template for one answer, with `{names}` for all treatments that share it."""
    if one.hides_name:
        return "no answer for {names} at full strength, which was never applied"
    if one.withheld:
        return "no answer for {names} because of lost pairs"
    dose = " at a weak dose" if one.weak else ""
    small = ", by less than the smallest effect of interest" if one.comparison.negligible else ""
    answers: Mapping[OverallVerdict, str] = {
        "invalid_data": "no valid data for {names}",
        "treatment_not_delivered": "{names} {are} not shown to have been delivered",
        "not_estimable": "no interval for {names}",
        "supported": f"{{names}} {{are}} {one.comparison.direction} than {one.control}{dose}{small}",
        "depends_on_summary": f"for {{names}}{dose} it depends on the benchmark summary",
        "negative_equivalent": f"{{names}} {{are}} within {within(one)} of {one.control}",
        "negative_inconclusive": f"{numbers.counted(one.n, 'seed')} cannot say for {{names}}",
    }
    return answers[one.comparison.verdict]


def comparison_title(comparison: Comparison, where: str = "") -> str:
    """Returns question and answer for one treatment; where: what distinguishes its cell, such as a model."""
    one = facts(comparison)
    answer = _withheld(one) if one.withheld else _ANSWERS[comparison.verdict](one)
    return f"Does {comparison.treatment} beat {comparison.control}{f', in {where}' if where else ''}? {answer}"


def verdict_name(comparison: Comparison) -> str:
    """Returns the verdict as it is quoted: `negative, inconclusive`; `tscl better than static`."""
    if comparison.verdict == "supported":
        tail = ", by less than the smallest effect of interest" if comparison.negligible else ""
        return f"{comparison.treatment} {comparison.direction} than {comparison.control}{tail}"
    return NAMES[comparison.verdict].quoted


def claims_more(comparison: Comparison, verdict: OverallVerdict) -> bool:
    """Returns whether this verdict claims more than the comparison's own."""
    return _CLAIMS.get(verdict, 0) > _CLAIMS.get(comparison.verdict, 0)


_CLAIMS: Mapping[OverallVerdict, int] = {
    "supported": 3, "depends_on_summary": 2, "negative_equivalent": 2, "negative_inconclusive": 1,
}  # fmt: skip
"""How much a verdict claims; verdicts not listed claim nothing."""


def short_verdict(comparison: Comparison) -> str:
    """Returns the verdict in a word or two, for a table column."""
    if comparison.verdict == "supported":
        return f"{comparison.direction}{', negligible' if comparison.negligible else ''}"
    return NAMES[comparison.verdict].short


class VerdictName(NamedTuple):
    """The names of one verdict."""

    plain: str
    quoted: str
    """In "Verdict: ..."."""
    short: str
    """In a narrow column."""
    counted: str
    """After "two are"."""


_EQUIVALENT = "negative, equivalent within the smallest effect of interest"
NAMES: Mapping[OverallVerdict, VerdictName] = {
    "supported": VerdictName("supported", "supported", "supported", "supported"),
    "depends_on_summary": VerdictName(
        "depends on the summary", "depends on the benchmark summary", "depends on summary", "depending on the summary"
    ),
    "negative_equivalent": VerdictName("negative, equivalent", _EQUIVALENT, "equivalent", "equivalent"),
    "negative_inconclusive": VerdictName("negative, inconclusive", "negative, inconclusive", *["inconclusive"] * 2),
    "not_estimable": VerdictName("not estimable", "none, not estimable", "none: not estimable", "not estimable"),
    "treatment_not_delivered": VerdictName(
        "treatment not delivered", "none, the treatment was not delivered", "none: not delivered", "not delivered"
    ),
    "invalid_data": VerdictName(
        "invalid data", "none, the data are not valid for a comparison", "none: invalid data", "with invalid data"
    ),
}
"""The one table of verdict names, in the order in which verdicts are counted. A supported verdict is named by its
direction wherever that is known."""


def _invalid(one: Facts) -> str:
    return "No verdict: the data are not valid for a comparison"


def _not_delivered(one: Facts) -> str:
    return f"Not tested: the delivery record does not show that the arms differ as {one.comparison.treatment} requires"


def _not_estimable(one: Facts) -> str:
    if one.n == 0:
        return "No seed is complete in both arms"
    if one.n == 1:
        return "One seed pair cannot say: it gives a difference but no interval"
    if one.unlooked:
        return f"Not estimable: {numbers.counted(one.n, 'complete pair')}, too few for a look in the plan"
    return f"Not estimable: the paired differences are the same in all seeds {one.stuck}"


def _withheld(one: Facts) -> str:
    lost = numbers.counted(len(one.comparison.lost_seeds), "lost pair")
    return f"Not shown: {numbers.counted(one.n, 'complete pair')} cannot outweigh {lost}"


def _supported(one: Facts) -> str:
    answer = "Yes" if one.comparison.direction == "better" else "No"
    dose = "at a weak dose, " if one.weak else ""
    small = ", by less than the smallest effect of interest" if one.comparison.negligible else ""
    return (
        f"{answer}: {dose}{one.comparison.treatment} is {one.comparison.direction} than {one.control} "
        f"under {every_summary(one)} in {numbers.counted(one.n, 'seed pair')}{small}"
    )


def _depends(one: Facts) -> str:
    above, below = one.shown
    sides = [
        f"{side} zero under {numbers.listed(names)}" for side, names in (("above", above), ("below", below)) if names
    ]
    rest = one.size - len(above) - len(below)
    if rest:
        sides.append(f"not shown to differ from zero under the other {numbers.word(rest)}")
    dose = "at a weak dose, " if one.weak else ""
    return f"It depends on the benchmark summary: {dose}the difference is {'; '.join(sides)}"


def _equivalent(one: Facts) -> str:
    dose = "at a weak dose, " if one.weak else ""
    return (
        f"Not by an amount of interest: {dose}{numbers.counted(one.n, 'seed pair')} put the difference "
        f"within {within(one)} under {every_summary(one)}"
    )


def _inconclusive(one: Facts) -> str:
    cannot = f"{numbers.capital(numbers.counted(one.n, 'seed'))}{' at a weak dose' if one.weak else ''} cannot say"
    bound = excluded_above(one.primary) if one.primary else ""
    return f"{cannot}; {bound}" if bound else cannot


def within(one: Facts) -> str:
    """Returns `1.0 point`, or a range when the smallest effect of interest differs by summary."""
    sizes = sorted({summary.sesoi for summary in one.summaries})
    if len(sizes) == 1:
        return numbers.points(sizes[0])
    return f"{numbers.short(sizes[0])} to {numbers.points(sizes[-1])}, as set for each summary,"


def every_summary(one: Facts) -> str:
    """Returns `all six benchmark summaries`."""
    return {1: "the one benchmark summary", 2: "both benchmark summaries"}.get(
        one.size, f"all {numbers.word(one.size)} benchmark summaries"
    )


_ANSWERS: Mapping[OverallVerdict, Callable[[Facts], str]] = {
    "invalid_data": _invalid, "treatment_not_delivered": _not_delivered, "not_estimable": _not_estimable,
    "supported": _supported, "depends_on_summary": _depends, "negative_equivalent": _equivalent,
    "negative_inconclusive": _inconclusive,
}  # fmt: skip
