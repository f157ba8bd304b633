"""One look at all treatments of a sequential study: each is judged for itself at level alpha / k."""

from collections.abc import Mapping

from numpy.typing import ArrayLike

from policies.errors import InputError
from policies.model import StrictModel
from tools.statistics.sequential.look import look
from tools.statistics.sequential.model import Look, SequentialDesign


class PooledLook(StrictModel):
    """k treatments that share one control."""

    looks: dict[str, Look]
    """Treatment -> its own look."""
    going_on: tuple[str, ...]
    """Treatments that need another seed block, and the control with them; empty: the study stops."""
    pooled_sd: float | None
    """Root mean square of the SDs of the treatments; None for fewer than two pairs."""
    blinded_reason: str
    """Whether the study stops or goes on, without arm, sign or score."""


def pooled_look(
    differences: Mapping[str, ArrayLike],
    design: SequentialDesign,
    alpha: float,
    sesoi: ArrayLike,
    *,
    family_size: int | None = None,
) -> PooledLook:
    """Judges every treatment at level alpha / k (Bonferroni, so that the error of the whole family is at most alpha).

    differences: treatment -> (n, S) differences to the shared control; alpha: of the whole family; sesoi: a number or
    (S,); family_size: k, the number of treatments by default. A treatment that stops gets no more seeds, while the
    control runs on beside the others: pass its pairs as they were when it stopped, and it is judged as it was then.
    Raises InputError as `look` does, and without any treatment.
    """
    if not differences:
        raise InputError("a look needs at least one treatment, got none: name the treatments of the study")
    k = family_size or len(differences)
    looks = {name: look(values, design, alpha / k, sesoi) for name, values in differences.items()}
    going_on = tuple(name for name, one in looks.items() if not one.stops)
    spreads = [one.pooled_sd for one in looks.values() if one.pooled_sd is not None]
    pooled = (sum(sd**2 for sd in spreads) / len(spreads)) ** 0.5 if spreads else None
    return PooledLook(
        looks=looks, going_on=going_on, pooled_sd=pooled, blinded_reason=_blinded(looks, going_on, pooled)
    )


def _blinded(looks: Mapping[str, Look], going_on: tuple[str, ...], pooled: float | None) -> str:
    if len(looks) == 1:
        return next(iter(looks.values())).blinded_reason
    n = max(one.n for one in looks.values())
    spread = "" if pooled is None else f"; SD over all summaries {pooled:.2f} points"
    state = f"goes on with {len(going_on)} of {len(looks)} comparisons" if going_on else "stops"
    return f"{n} {'pair' if n == 1 else 'pairs'}{spread}: {state}."
