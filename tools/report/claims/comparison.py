"""Every claim that a report or a chat can make about one comparison, as whole sentences with ids.

Pure: a stored `Comparison` in, sentences out. Claims about the study as a whole are in `claims/study.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from tools.report.claims.delivery import delivery
from tools.report.claims.facts import Claim, Facts, excluded, facts
from tools.report.claims.quotes import may_be_said, may_not_be_said
from tools.report.claims.titles import claims_more, comparison_title, every_summary, verdict_name, within
from tools.statistics.verdict_model import Comparison, OverallVerdict, SummaryVerdict
from tools.text import numbers


def comparison_claims(comparison: Comparison) -> tuple[Claim, ...]:
    """Returns all claims about one comparison; ids start with the treatment's arm id."""
    one = facts(comparison)
    texts: dict[str, str] = {"title": comparison_title(comparison), "verdict": verdict_sentence(one)}
    if comparison.verdict not in ("invalid_data", "not_estimable") and one.primary:
        texts["primary"] = summary_sentence(one, one.primary)
    texts |= {"excluded": excluded_sentence(one), "tost": tost_sentence(one)}
    if comparison.verdict != "invalid_data":
        texts |= {f"summary.{each.summary}": summary_sentence(one, each) for each in one.summaries}
        texts["unadjusted"] = unadjusted_sentence(one)
    texts |= {f"fault.{at}": fault for at, fault in enumerate(comparison.faults, 1)}
    texts |= {f"said.{at}": text for at, text in enumerate(may_be_said(one), 1)}
    texts |= {f"unsaid.{at}": text for at, text in enumerate(may_not_be_said(one), 1)}
    texts["delivery"] = delivery(comparison)
    texts["failures"] = failures_sentence(comparison)
    texts |= {f"note.{at}": f"{text}." for at, text in enumerate(comparison.notes, 1)}
    if comparison.k > 1:
        texts["family"] = family_sentence(one)
    return tuple(Claim(id=f"{comparison.treatment}.{key}", text=text) for key, text in texts.items() if text)


def verdict_sentence(one: Facts) -> str:
    """Returns the verdict and its reason; can be quoted whole."""
    return f"Verdict: {weak_prefix(one)}{verdict_name(one.comparison)}. {because_sentence(one)}"


def because_sentence(one: Facts) -> str:
    """Returns the reason for the verdict."""
    return _VERDICTS[one.comparison.verdict](one)


def weak_prefix(one: Facts) -> str:
    """Returns `at a weak dose (0.031, minimum 0.05), `; empty when the dose is not weak."""
    record = one.comparison.delivery
    if not one.weak:
        return ""
    dose, minimum = numbers.fixed(record.dose, 3), numbers.fixed(record.minimum_dose)
    return f"at a weak dose ({dose}, minimum {minimum}), "


def variant_name(
    comparison: Comparison, verdict: OverallVerdict, direction: Literal["better", "worse"] | None, *, negligible: bool
) -> str:
    """What the comparison reads as under other circumstances, quoted, at the dose that was delivered.

    A claim that its own verdict does not make is not spelled out, so that nobody can quote it.
    """
    if claims_more(comparison, verdict):
        return "a claim that the full data do not support"
    other = comparison.model_copy(update={"verdict": verdict, "direction": direction, "negligible": negligible})
    return f'"{weak_prefix(facts(other))}{verdict_name(other)}"'


def summary_sentence(one: Facts, summary: SummaryVerdict) -> str:
    """Returns the estimate and its family interval under one summary, with n."""
    name = f"{summary.summary} (primary)" if summary.summary == one.comparison.primary else summary.summary
    pairs = f"n = {summary.n} seed {'pair' if summary.n == 1 else 'pairs'}"
    lead = _lead(one)
    if summary.mean is None:
        return f"{lead} {name} no seed is complete in both arms."
    mean = f"{lead} {name} the mean difference {one.difference} is {numbers.signed(summary.mean)} points"
    if summary.low_family is None or summary.high_family is None:
        return f"{mean} ({pairs}); {_no_interval(summary)}."
    return f"{mean}, {one.level} {numbers.interval(summary.low_family, summary.high_family)}, {pairs}."


def _lead(one: Facts) -> str:
    """Returns the start of a sentence about one summary, with the caveat that it needs when quoted alone."""
    if _undelivered(one):
        return "With the treatment not delivered, on"
    if one.withheld:
        return "With complete pairs only, on"
    return "At a weak dose, on" if one.weak else "On"


def _no_interval(summary: SummaryVerdict) -> str:
    if summary.n < 2:
        return "one pair gives no interval"
    if summary.sd:
        return "the plan spends no error at this number of pairs, so there is no interval"
    return "the differences do not vary between seeds, so there is no interval"


def excluded_sentence(one: Facts) -> str:
    """Returns the gains and losses that the primary summary's family interval excludes."""
    bounds = excluded(one.primary) if one.primary and one.bounds_hold else ""
    return f"{_lead(one)} {one.primary.summary} {bounds} ({one.basis})." if one.primary and bounds else ""


def tost_sentence(one: Facts) -> str:
    """Returns the narrower interval that two one-sided tests would use; empty unless the verdict is equivalence."""
    primary = one.primary
    if one.comparison.verdict != "negative_equivalent" or primary is None or primary.low_tost is None:
        return ""
    alpha = 1.0 - one.comparison.confidence
    return (
        f"Two one-sided tests at {numbers.percent(alpha)}, unadjusted, would use the {numbers.percent(1 - 2 * alpha)} "
        f"interval, on {primary.summary} {numbers.interval(primary.low_tost, primary.high_tost)} ({one.pairs}); the "
        f"verdict uses the wider one (family of {one.comparison.k})."
    )


def unadjusted_sentence(one: Facts) -> str:
    """Returns how many summaries exclude zero at the unadjusted level, and how many would by chance; not a claim."""
    comparison = one.comparison
    if not one.bounds_hold:
        return ""
    names, level = comparison.exclusions_unadjusted, numbers.percent(comparison.confidence)
    if one.size == 1:
        text = f"The one summary {'excludes' if names else 'does not exclude'} zero at the unadjusted {level} level"
    elif names:
        count = f"{numbers.capital(numbers.word(len(names)))} of {numbers.word(one.size)} summaries"
        text = f"{count} {'excludes' if len(names) == 1 else 'exclude'} zero at the unadjusted {level} level"
    else:
        text = f"No summary of the {numbers.word(one.size)} excludes zero at the unadjusted {level} level"
    text += _by_side(one, names)
    if comparison.exclusions_expected is not None:
        text += (
            f"; about {comparison.exclusions_expected:.2g} of {numbers.word(one.size)} would do so by chance if the "
            "arms did not differ"
        )
    lost = [name for name in names if name not in one.above + one.below]
    if lost and comparison.k > 1:
        verb = "does" if len(lost) == 1 else "do"
        which = "It" if len(names) == 1 else f"Of these, {numbers.listed(lost)}"
        text += f". {which} {verb} not survive adjustment for the {numbers.counted(comparison.k, 'treatment')} tested"
    return text + "."


def _by_side(one: Facts, names: Sequence[str]) -> str:
    means = {name: one.comparison.summaries[name].mean or 0.0 for name in names}
    sides = {
        "in favour of the treatment": [name for name, mean in means.items() if mean > 0],
        "against the treatment": [name for name, mean in means.items() if mean < 0],
    }
    parts = [f"{side}: {numbers.listed(found)}" for side, found in sides.items() if found]
    return f" ({'; '.join(parts)})" if parts else ""


def family_sentence(one: Facts) -> str:
    """Returns why the interval is wider, and why comparisons with one control are correlated."""
    return (
        f"{numbers.capital(numbers.counted(one.comparison.k, 'treatment'))} share the control {one.control}: the "
        f"verdict uses the {numbers.percent(one.comparison.family_confidence)} interval, and the comparisons are "
        f"correlated, since chance in the runs of {one.control} affects all of them."
    )


def failures_sentence(*comparisons: Comparison) -> str:
    """Returns the number of failed runs of every arm, each arm once."""
    arms = dict.fromkeys(arm for one in comparisons for arm in (one.treatment, one.control))
    counts = {arm: max(one.failures.get(arm, 0) for one in comparisons) for arm in arms}
    if not any(counts.values()):
        return f"No run of {numbers.listed(list(counts), 'or')} failed."
    return f"Failed runs: {', '.join(f'{arm} {count}' for arm, count in counts.items())}."


def _invalid(one: Facts) -> str:
    count = len(one.comparison.faults)
    return (
        f"The scores cannot be compared: {numbers.counted(count, 'fault')} found. No difference is computed from them."
    )


def _not_delivered(one: Facts) -> str:
    return (
        f"The delivery record does not show that the arms differ as {one.comparison.treatment} requires, so the scores "
        f"compare two labels and give no information about {one.comparison.treatment} as a policy."
    )


def _not_estimable(one: Facts) -> str:
    if one.n == 0:
        return "No seed has complete scores in both arms."
    if one.n == 1:
        return "n = 1 seed pair: a difference is computed but cannot be told from chance. A second pair is needed."
    if one.unlooked:
        return (
            f"Seeds were added look by look, and the sequential plan has no look that gives an interval at {one.pairs}:"
            " too many pairs were lost."
        )
    return (
        f"The paired differences are the same in all {numbers.word(one.n)} seeds {one.stuck} ({one.pairs}), so there "
        "is no spread to estimate. Scores change by whole questions, so a few seeds may agree by chance; otherwise "
        "identical or copied runs are suspected."
    )


def _supported(one: Facts) -> str:
    side = "above" if one.comparison.direction == "better" else "below"
    text = f"Under {every_summary(one)} the {one.level} for {one.difference} is {side} zero ({one.pairs})."
    if one.comparison.negligible:
        text += f" Each interval is also within {within(one)} of zero, the smallest effect of interest."
    return text


def _withheld(one: Facts) -> str:
    lost = len(one.comparison.lost_seeds)
    return (
        f"With complete pairs only, the {one.level} excludes zero on the same side under {every_summary(one)} "
        f"({one.pairs}), but {numbers.counted(lost, 'pair')} {'was' if lost == 1 else 'were'} lost. With the lost "
        "scores at their worst this no longer holds: the claim is withheld."
    )


def _depends(one: Facts) -> str:
    worst, best = _extreme(one, one.comparison.worst_summary, 0), _extreme(one, one.comparison.best_summary, -1)
    return (
        f"The answer depends on the summary: in standard errors, the difference is lowest under {worst.summary} "
        f"{numbers.interval(worst.low_family, worst.high_family)} and highest under {best.summary} "
        f"{numbers.interval(best.low_family, best.high_family)} ({one.basis}). No claim holds under all "
        f"{numbers.word(one.size)}."
    )


def _extreme(one: Facts, name: str | None, at: int) -> SummaryVerdict:
    return one.comparison.summaries.get(name or "", one.summaries[at])


def _equivalent(one: Facts) -> str:
    return (
        f"Under {every_summary(one)} the {one.level} for {one.difference} is within {within(one)} of zero "
        f"({one.pairs}): a difference as large as the smallest effect of interest is excluded in both directions."
    )


def _inconclusive(one: Facts) -> str:
    if one.withheld:
        return _withheld(one)
    excluding = one.above + one.below
    scope = f"the {one.level} for {one.difference}"
    if not excluding:
        if one.size == 1:
            return f"Under {every_summary(one)} {scope} does not exclude zero ({one.pairs})."
        none = "neither" if one.size == 2 else "none"
        return f"Under {none} of {_the(one)} does {scope} exclude zero ({one.pairs})."
    strict = one.comparison.strict_confidence or 1 - (1 - one.comparison.family_confidence) / one.size
    return (
        f"Under {numbers.word(len(excluding))} of {_the(one)} ({numbers.listed(excluding)}) {scope} excludes zero "
        f"({one.pairs}), but not at the {numbers.percent(strict, 2)} level that singling out one of "
        f"{numbers.word(one.size)} requires."
    )


def _the(one: Facts) -> str:
    return f"the {numbers.counted(one.size, 'benchmark summary', 'benchmark summaries')}"


_VERDICTS: Mapping[OverallVerdict, Callable[[Facts], str]] = {
    "invalid_data": _invalid, "treatment_not_delivered": _not_delivered, "not_estimable": _not_estimable,
    "supported": _supported, "depends_on_summary": _depends, "negative_equivalent": _equivalent,
    "negative_inconclusive": _inconclusive,
}  # fmt: skip


def _undelivered(one: Facts) -> bool:
    return one.comparison.verdict == "treatment_not_delivered"
