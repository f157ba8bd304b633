"""Titles and verdict names: the answer to the question, without leaning."""

from collections.abc import Callable, Mapping

from tools.report import numbers
from tools.report.facts import Facts, excluded_above, facts
from tools.statistics.verdict_model import Comparison, OverallVerdict, Verdict


def title(verdict: Verdict) -> str:
    """The report's first heading: question and answer in one line."""
    if len(verdict.comparisons) == 1:
        return comparison_title(verdict.comparisons[0])
    answers: dict[str, list[str]] = {}
    for one in verdict.comparisons:
        answers.setdefault(_short_answer(facts(one)), []).append(one.treatment)
    control = verdict.comparisons[0].control
    question = f"Do {numbers.listed([one.treatment for one in verdict.comparisons])} beat {control}?"
    told = [
        (answer if at else numbers.capital(answer)).format(
            names=numbers.listed(names), are="is" if len(names) == 1 else "are"
        )
        for at, (answer, names) in enumerate(answers.items())
    ]
    return f"{question} {'; '.join(told)}"


def _short_answer(one: Facts) -> str:
    """With places for the names of all treatments that it holds for."""
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


def comparison_title(comparison: Comparison) -> str:
    """The same for one treatment."""
    one = facts(comparison)
    answer = _withheld(one) if one.withheld else _ANSWERS[comparison.verdict](one)
    return f"Does {comparison.treatment} beat {comparison.control}? {answer}"


def verdict_name(comparison: Comparison) -> str:
    """The verdict as it is quoted: `negative, inconclusive`; `tscl better than static`."""
    if comparison.verdict == "supported":
        tail = ", by less than the smallest effect of interest" if comparison.negligible else ""
        return f"{comparison.treatment} {comparison.direction} than {comparison.control}{tail}"
    return _NAMES[comparison.verdict]


def short_verdict(comparison: Comparison) -> str:
    """The verdict in a word or two, for a column of a table."""
    if comparison.verdict == "supported":
        return f"{comparison.direction}{', negligible' if comparison.negligible else ''}"
    return _SHORT[comparison.verdict]


_SHORT: Mapping[OverallVerdict, str] = {
    "invalid_data": "none: invalid data",
    "treatment_not_delivered": "none: not delivered",
    "not_estimable": "none: not estimable",
    "depends_on_summary": "depends on summary",
    "negative_equivalent": "equivalent",
    "negative_inconclusive": "inconclusive",
}
_NAMES: Mapping[OverallVerdict, str] = {
    "invalid_data": "none, the data are not valid for a comparison",
    "treatment_not_delivered": "none, the treatment was not delivered",
    "not_estimable": "none, not estimable",
    "depends_on_summary": "depends on the benchmark summary",
    "negative_equivalent": "negative, equivalent within the smallest effect of interest",
    "negative_inconclusive": "negative, inconclusive",
}


def _invalid(one: Facts) -> str:
    return "No verdict: the data are not valid for a comparison"


def _not_delivered(one: Facts) -> str:
    return f"Not tested: the delivery record does not show that the arms differ as {one.comparison.treatment} asks"


def _not_estimable(one: Facts) -> str:
    if one.n == 0:
        return "No seed is complete in both arms"
    if one.n == 1:
        return "One seed pair cannot say: it gives a difference and no interval"
    if one.unlooked:
        return f"Not estimable: {numbers.counted(one.n, 'complete pair')}, too few for a look of the plan"
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
        sides.append(f"not shown to differ from it under the other {numbers.word(rest)}")
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
    """`1.0 point`; a range when the smallest effect of interest differs by summary."""
    sizes = sorted({summary.sesoi for summary in one.summaries})
    if len(sizes) == 1:
        return numbers.points(sizes[0])
    return f"{numbers.short(sizes[0])} to {numbers.points(sizes[-1])}, as set for each summary,"


def every_summary(one: Facts) -> str:
    """`all six benchmark summaries`."""
    return {1: "the one benchmark summary", 2: "both benchmark summaries"}.get(
        one.size, f"all {numbers.word(one.size)} benchmark summaries"
    )


_ANSWERS: Mapping[OverallVerdict, Callable[[Facts], str]] = {
    "invalid_data": _invalid,
    "treatment_not_delivered": _not_delivered,
    "not_estimable": _not_estimable,
    "supported": _supported,
    "depends_on_summary": _depends,
    "negative_equivalent": _equivalent,
    "negative_inconclusive": _inconclusive,
}
