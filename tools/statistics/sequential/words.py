"""The reason why a sequential study stops or continues, in one sentence: with results, and blinded."""

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.sequential.model import Look


def worded(look: Look, design: SequentialDesign) -> Look:
    """Returns the look with `reason` and `blinded_reason` filled in."""
    return look.model_copy(update={"reason": _reason(look, design), "blinded_reason": _blinded_reason(look, design)})


def _reason(look: Look, design: SequentialDesign) -> str:
    if look.decision == "efficacy":
        small = ", but every repeated interval is within the smallest effect of interest" if look.negligible else ""
        return (
            f"Stops after {_pairs(look.n)}: {_every(look)} beyond the bound of this look on the same side "
            f"(treatment {look.direction} than control, t beyond {look.critical:.2f}){small}."
        )
    if look.decision == "equivalence":
        return (
            f"Stops after {_pairs(look.n)}: {_every(look, 'the repeated interval of')} within the smallest effect of "
            "interest, so any difference that matters is excluded."
        )
    if look.decision == "futility":
        return (
            f"Stops for futility after {_pairs(look.n)}: even at the {_percent(design.futility_confidence)} limit of "
            f"the effect, the probability of {_crossing(look)} by {_pairs(look.n_max)} is at most "
            f"{_chance(look.chance_up)} for better and {_chance(look.chance_down)} for worse, both below "
            f"{_percent(design.futility_chance)}. This is not evidence that there is no effect."
        )
    if look.decision == "n_max":
        return f"Stops: {_pairs(look.n)} are the maximum of the plan, and {_what_is_missing(look)}."
    return f"Continues after {_pairs(look.n)}: {_why_on(look, design)}."


def _why_on(look: Look, design: SequentialDesign) -> str:
    if look.look == 0:
        return f"the first look is at {design.n_min}"
    if look.chance_up is None:
        return _what_is_missing(look)
    bound = "no error is spent at this look" if look.critical is None else _what_is_missing(look)
    return (
        f"{bound}; the probability of {_crossing(look)} by {_pairs(look.n_max)} is at most {_chance(look.chance_up)} "
        f"for better and {_chance(look.chance_down)} for worse"
    )


def _what_is_missing(look: Look) -> str:
    """Why the look does not establish an effect."""
    total = len(look.summaries)
    still = sum(summary.sd == 0.0 for summary in look.summaries)
    if still:
        under = "" if total == 1 else " under any summary" if still == total else f" under {still} of {total} summaries"
        return f"the differences do not vary{under}, so nothing can be estimated (are these runs identical?)"
    if total == 1:
        return f"the difference is not beyond the bound (t of {look.critical:.2f})"
    up = sum(summary.low is not None and summary.low > 0.0 for summary in look.summaries)
    down = sum(summary.high is not None and summary.high < 0.0 for summary in look.summaries)
    return f"{up} of {total} summaries are beyond the bound for better and {down} for worse, but all are needed"


def _blinded_reason(look: Look, design: SequentialDesign) -> str:
    """The reason without arms, signs and scores."""
    place = f"look {look.look} of {look.looks}" if look.look else f"before the first look, at {design.n_min}"
    spread = "" if look.pooled_sd is None else f"; SD over all summaries {look.pooled_sd:.2f} points"
    return f"{_pairs(look.n)}, {place}{spread}: {'stops' if look.stops else 'continues'}."


def _every(look: Look, what: str = "") -> str:
    """`the difference is`, or `all S summaries are`, possibly `the repeated interval of ... is`."""
    total = len(look.summaries)
    if what:
        return f"{what} {'the difference' if total == 1 else 'every summary'} is"
    return "the difference is" if total == 1 else f"all {total} summaries are"


def _crossing(look: Look) -> str:
    return "crossing the bound" if len(look.summaries) == 1 else "all summaries crossing the bound at one look"


def _chance(value: float | None) -> str:
    assert value is not None, "only looks that compute chances word them"
    return "1 %" if value < 0.01 else _percent(value)


def _percent(value: float) -> str:
    return f"{100.0 * value:.0f} %"


def _pairs(n: int) -> str:
    return "1 pair" if n == 1 else f"{n} pairs"
