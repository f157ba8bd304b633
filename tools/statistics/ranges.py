"""What confidence and smallest effect of interest may be, told alike wherever a person gives them."""


def range_faults(confidence: float | None, sesoi: float | None) -> tuple[str, ...]:
    """One line for each value that is out of range; None is not given."""
    faults = []
    if confidence is not None and not 0.5 < confidence < 1:
        faults.append(f"confidence {confidence:g} is out of range; give a share between 0.5 and 1, such as 0.95")
    if sesoi is not None and not 0 < sesoi <= 100:
        faults.append(f"smallest effect of interest {sesoi:g} is out of range; give points above 0, at most 100")
    return tuple(faults)
