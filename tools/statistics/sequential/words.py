"""Why a sequential study stops or goes on, in one sentence: for readers of results, and for those who must see none."""

from tools.statistics.sequential.model import Look, SequentialDesign


def worded(look: Look, design: SequentialDesign) -> Look:
    """The look with `reason` and `blinded_reason` filled in."""
    return look.model_copy(update={"reason": _reason(look, design), "blinded_reason": _blinded_reason(look, design)})


def _reason(look: Look, design: SequentialDesign) -> str:
    if look.decision == "efficacy":
        small = ", and every repeated interval lies within the smallest effect of interest" if look.negligible else ""
        return (
            f"Stops after {_pairs(look.n)}: {_every(look)} beyond the bound of this look on the same side "
            f"(treatment {look.direction} than control, t beyond {look.critical:.2f}){small}."
        )
    if look.decision == "equivalence":
        return (
            f"Stops after {_pairs(look.n)}: {_every(look, 'the repeated interval of')} inside the smallest effect of "
            "interest, so no difference that matters is left."
        )
    if look.decision == "futility":
        return (
            f"Stops for futility after {_pairs(look.n)}: even at the {_percent(design.futility_confidence)} limit of "
            f"the effect, the chance of {_crossing(look)} by {_pairs(look.n_max)} is at most "
            f"{_chance(look.chance_up)} for better and {_chance(look.chance_down)} for worse, both below "
            f"{_percent(design.futility_chance)}. This does not show that there is no effect."
        )
    if look.decision == "n_max":
        return f"Stops: {_pairs(look.n)} are all that the plan allows, and {_what_is_missing(look)}."
    return f"Goes on after {_pairs(look.n)}: {_why_on(look, design)}."


def _why_on(look: Look, design: SequentialDesign) -> str:
    if look.look == 0:
        return f"the first look is at {design.n_min}"
    if look.chance_up is None:
        return _what_is_missing(look)
    bound = "no error is spent at this look" if look.critical is None else _what_is_missing(look)
    return (
        f"{bound}; the chance of {_crossing(look)} by {_pairs(look.n_max)} is at most {_chance(look.chance_up)} for "
        f"better and {_chance(look.chance_down)} for worse"
    )


def _what_is_missing(look: Look) -> str:
    """Why the look shows no effect."""
    total = len(look.summaries)
    still = sum(summary.sd == 0.0 for summary in look.summaries)
    if still:
        under = "" if total == 1 else " under any summary" if still == total else f" under {still} of {total} summaries"
        return f"the differences do not vary{under}, so that nothing can be estimated (are these runs identical?)"
    if total == 1:
        return f"the difference is not beyond the bound (t of {look.critical:.2f})"
    up = sum(summary.low is not None and summary.low > 0.0 for summary in look.summaries)
    down = sum(summary.high is not None and summary.high < 0.0 for summary in look.summaries)
    return f"{up} of {total} summaries are beyond the bound for better and {down} for worse, where all are needed"


def _blinded_reason(look: Look, design: SequentialDesign) -> str:
    """The same whatever the arms, signs and scores were."""
    place = f"look {look.look} of {look.looks}" if look.look else f"before the first look, at {design.n_min}"
    spread = "" if look.pooled_sd is None else f"; SD over all summaries {look.pooled_sd:.2f} points"
    return f"{_pairs(look.n)}, {place}{spread}: {'stops' if look.stops else 'goes on'}."


def _every(look: Look, what: str = "") -> str:
    """`the difference is`, or `all S summaries are`, possibly `the repeated interval of ... is`."""
    total = len(look.summaries)
    if what:
        return f"{what} {'the difference' if total == 1 else 'every summary'} lies"
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
