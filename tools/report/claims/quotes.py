"""What may be said of a comparison, ready to quote, and what may not, however tempting."""

from collections.abc import Callable, Mapping

from tools.report.claims.facts import NEGATIVE, Facts, excluded, open_above, open_below
from tools.report.claims.titles import every_summary, within
from tools.statistics.verdict_model import OverallVerdict
from tools.text import numbers

Sentences = tuple[str, ...]


def may_be_said(one: Facts) -> Sentences:
    """Returns sentences that the data support."""
    texts = _said_withheld(one) if one.withheld else _SAID[one.comparison.verdict](one)
    return tuple(numbers.capital(f"{'at a weak dose, ' if one.weak else ''}{text}") for text in texts)


def may_not_be_said(one: Facts) -> Sentences:
    """Returns claims that may tempt a reader but that the data do not support."""
    texts = _neither_nor(one) if one.withheld else _UNSAID[one.comparison.verdict](one)
    if one.weak and one.comparison.verdict in NEGATIVE:
        texts += ("Anything about the policy at full strength, which was never applied.",)
    if one.comparison.delivery.status == "not_recorded" and one.comparison.verdict != "invalid_data":
        texts += ("That the policy was applied: no delivery was recorded.",)
    return texts


def _nothing(one: Facts) -> Sentences:
    return ()


def _said_withheld(one: Facts) -> Sentences:
    lost = numbers.counted(len(one.comparison.lost_seeds), "lost pair")
    pairs = numbers.counted(one.n, "complete seed pair")
    return (f"{pairs} of {one.treatment} and {one.control} do not outweigh {lost}.",)


def _said_not_delivered(one: Facts) -> Sentences:
    return (
        f"runs labelled {one.comparison.treatment} were made and scored; their record does not show that the treatment "
        "was applied in training.",
    )


def _said_not_estimable(one: Facts) -> Sentences:
    if one.n != 1:
        return ()
    return (f"one seed of {one.comparison.treatment} and of {one.control} was run, as a trial of the set-up.",)


def _said_supported(one: Facts) -> Sentences:
    if one.primary is None:
        return ()
    verb = "gains" if one.comparison.direction == "better" else "loses"
    return (
        f"on this recipe {one.treatment} is {one.comparison.direction} than {one.control} under {every_summary(one)}; "
        f"on {one.primary.summary} it {verb} {numbers.fixed(abs(one.primary.mean or 0.0))} points, {one.level} "
        f"{numbers.interval(one.primary.low_family, one.primary.high_family)}, {one.pairs}.",
    )


def _said_depends(one: Facts) -> Sentences:
    above, below = one.shown
    sides = [
        f"{side} zero under {numbers.listed(names)}" for side, names in (("above", above), ("below", below)) if names
    ]
    return (
        f"the difference {one.difference} is {' and '.join(sides)}, and the answer does not hold under every summary "
        f"({one.shown_basis}).",
    )


def _said_equivalent(one: Facts) -> Sentences:
    return (
        f"{numbers.counted(one.n, 'seed pair')} show that {one.treatment} and {one.control} differ by less than "
        f"{within(one)} under {every_summary(one)}{_bounds(one)}.",
    )


def _said_inconclusive(one: Facts) -> Sentences:
    what = "that, under every summary," if one.above or one.below else "whether"
    return (
        f"{numbers.counted(one.n, 'seed pair')} do not show {what} {one.treatment} differs from {one.control}"
        f"{_bounds(one)}.",
    )


def _bounds(one: Facts) -> str:
    bounds = "" if one.primary is None else excluded(one.primary)
    return f"; on {one.primary.summary}, {bounds} ({one.basis})" if one.primary and bounds else ""


def _unsaid_inconclusive(one: Facts) -> Sentences:
    texts: Sentences = (f"That {one.treatment} beats {one.control}, or that it loses to it.",)
    primary = one.primary
    if primary is None or primary.low_family is None or primary.high_family is None:
        return texts
    lowest, highest = numbers.limit(primary.low_family, "low"), numbers.limit(primary.high_family, "high")
    if open_above(primary) and open_below(primary):
        left = "differences of any size and sign are"
    elif open_below(primary):
        left = f"differences below {highest} points are"
    elif open_above(primary):
        left = f"differences above {lowest} points are"
    else:
        left = f"differences between {lowest} and {highest} points are"
    return (*texts, f"That the two are equal: on {primary.summary}, {left} not excluded.")


def _unsaid_equivalent(one: Facts) -> Sentences:
    return (
        f"That {one.treatment} and {one.control} are the same: smaller differences are not excluded.",
        "That the same holds on another model, recipe or dose.",
    )


def _unsaid_supported(one: Facts) -> Sentences:
    texts: Sentences = ("That the same holds on another model, recipe or number of steps.",)
    if one.comparison.negligible:
        texts += ("That the difference matters: it is smaller than the smallest effect of interest.",)
    return texts


def _unsaid_depends(one: Facts) -> Sentences:
    return (
        f"That {one.treatment} beats {one.control} or loses to it, without naming the summary.",
        "That the summary that looks best is the right one.",
    )


def _unsaid_not_delivered(one: Facts) -> Sentences:
    return (f"Anything about {one.comparison.treatment}: that it helps, that it does not, or that it was tested.",)


def _neither_nor(one: Facts) -> Sentences:
    return (f"That {one.treatment} beats {one.control}, that it loses to it, or that the two are equal.",)


def _unsaid_invalid(one: Facts) -> Sentences:
    return (f"Anything about {one.treatment} against {one.control} from these scores.",)


_Quotes = Mapping[OverallVerdict, Callable[[Facts], Sentences]]

_SAID: _Quotes = {
    "invalid_data": _nothing, "treatment_not_delivered": _said_not_delivered, "not_estimable": _said_not_estimable,
    "supported": _said_supported, "depends_on_summary": _said_depends, "negative_equivalent": _said_equivalent,
    "negative_inconclusive": _said_inconclusive,
}  # fmt: skip
_UNSAID: _Quotes = {
    "invalid_data": _unsaid_invalid, "treatment_not_delivered": _unsaid_not_delivered, "not_estimable": _neither_nor,
    "supported": _unsaid_supported, "depends_on_summary": _unsaid_depends, "negative_equivalent": _unsaid_equivalent,
    "negative_inconclusive": _unsaid_inconclusive,
}  # fmt: skip
