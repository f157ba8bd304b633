"""A look at the paired differences of a sequential study, which decides whether to stop or to add a seed block."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policies.errors import InputError
from policies.model import StrictModel
from tools.plan.sequential_design import SequentialDesign
from tools.statistics.paired import SMALLEST_SD
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.futility import later_crossing
from tools.statistics.sequential.model import Look, SummaryLook
from tools.statistics.sequential.rule import DECISIONS, judge
from tools.statistics.sequential.words import worded
from tools.text.numbers import finite


def look(differences: ArrayLike, design: SequentialDesign, alpha: float, sesoi: ArrayLike) -> Look:
    """Judges n pairs under the S summaries of the verdict set.

    differences: (n, S) score points, treatment - control, complete pairs in the order in which they came; alpha: of
    this comparison (the plan's over k treatments); sesoi: a number or (S,). The first decision that applies:

    - `efficacy`: every summary is beyond the same bound with the same sign (intersection-union: level <= alpha);
    - `equivalence`: every repeated interval is inside +- SESOI;
    - `n_max`: the plan allows no more pairs;
    - `futility`: in both directions some summary is unlikely to cross at any later look (not binding);
    - `go_on`: also before the first look, and if the differences do not vary.

    Raises InputError for more than n_max pairs, for values that are not finite, and for a SESOI that is not above 0.
    """
    values, margins = _checked(differences, design, sesoi)
    n, summaries = values.shape
    sds = _sds(values)
    if n < design.n_min or not np.all(sds):
        return _without_statistics(values, sds, design)
    means, errors = values.mean(axis=0), sds / n**0.5
    judged = judge(means, errors, n, design, alpha, margins)
    decision, direction = DECISIONS[int(judged.code)], int(judged.direction)
    critical, strict = boundaries(design, alpha)[n], boundaries(design, alpha / summaries)[n]
    t = means / errors
    last = n == design.n_max
    chances = np.zeros((2, summaries)) if last else later_crossing(np.stack([t, -t]), design, alpha, n)
    return worded(
        Look(
            n=n,
            n_max=design.n_max,
            look=n - design.n_min + 1,
            looks=len(design.looks),
            decision=decision,
            direction=None if direction == 0 else "better" if direction > 0 else "worse",
            negligible=direction != 0 and bool(judged.inside),
            critical=finite(critical),
            critical_strict=finite(strict),
            summaries=_rows(means, sds, critical * errors, strict * errors, chances),
            chance_up=float(chances[0].min()),
            chance_down=float(chances[1].min()),
            pooled_sd=_pooled(sds),
        ),
        design,
    )


def _rows(
    means: NDArray[np.float64],
    sds: NDArray[np.float64],
    half: NDArray[np.float64],
    strict_half: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> tuple[SummaryLook, ...]:
    """All (S,), chances (2, S): up and down."""
    return tuple(
        SummaryLook(
            mean=mean,
            sd=sd,
            low=finite(mean - wide),
            high=finite(mean + wide),
            low_strict=finite(mean - strict),
            high_strict=finite(mean + strict),
            chance_up=up,
            chance_down=down,
        )
        for mean, sd, wide, strict, up, down in zip(means, sds, half, strict_half, *chances, strict=True)
    )


def _without_statistics(values: NDArray[np.float64], sds: NDArray[np.float64], design: SequentialDesign) -> Look:
    """A look with too few pairs or without variation in the differences: continues as long as the plan allows."""
    n, summaries = values.shape
    return worded(
        Look(
            n=n,
            n_max=design.n_max,
            look=max(0, n - design.n_min + 1),
            looks=len(design.looks),
            decision="n_max" if n == design.n_max else "go_on",
            summaries=tuple(
                SummaryLook(mean=values[:, s].mean() if n else None, sd=sds[s] if n > 1 else None)
                for s in range(summaries)
            ),
            pooled_sd=_pooled(sds) if n > 1 else None,
        ),
        design,
    )


def _checked(
    differences: ArrayLike, design: SequentialDesign, sesoi: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values, margins = np.asarray(differences, dtype=np.float64), np.asarray(sesoi, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(f"a look needs differences as (pairs, summaries), got shape {values.shape}")
    if len(values) > design.n_max:
        raise InputError(
            f"{len(values)} pairs are more than the {design.n_max} of the sequential plan: "
            "further pairs need an amendment and are exploratory"
        )
    if not np.all(np.isfinite(values)):
        raise InputError("a look needs complete pairs: some differences are missing or infinite; leave those pairs out")
    if margins.shape not in ((), values.shape[1:]) or not np.all(margins > 0.0):
        raise InputError(f"SESOI must be above 0, one number or one per summary, got {margins.tolist()}")
    return values, margins


def _sds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S,) sample SDs; 0 if the values differ only by rounding, and for fewer than two pairs."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    sds = values.std(axis=0, ddof=1)
    return np.where(sds > SMALLEST_SD, sds, 0.0)


def _pooled(sds: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(sds**2)))


class PooledLook(StrictModel):
    """The looks at k treatments that share one control."""

    looks: dict[str, Look]
    """Treatment -> its look."""
    going_on: tuple[str, ...]
    """Treatments that need another seed block, which the control then runs too; empty: the study stops."""
    pooled_sd: float | None
    """Root mean square of the SDs of the treatments; None for fewer than two pairs."""
    blinded_reason: str
    """Whether the study stops or continues, without arm, sign or score."""


def pooled_look(
    differences: Mapping[str, ArrayLike],
    design: SequentialDesign,
    alpha: float,
    sesoi: ArrayLike,
    *,
    family_size: int | None = None,
) -> PooledLook:
    """Judges every treatment at level alpha / k (Bonferroni, so that the error of the whole family is at most alpha).

    differences: treatment -> (n, S) differences from the shared control; alpha: of the whole family; sesoi: a number or
    (S,); family_size: k, by default the number of treatments. A stopped treatment gets no more seeds, while the control
    continues with the others: pass its pairs as they were when it stopped, and it is judged as it was then. Raises
    InputError like `look`, and without any treatment.
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
    state = f"continues with {len(going_on)} of {len(looks)} comparisons" if going_on else "stops"
    return f"{n} {'pair' if n == 1 else 'pairs'}{spread}: {state}."
