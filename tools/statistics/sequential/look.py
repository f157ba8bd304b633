"""One look at the paired differences of a sequential study: stop, or add a seed block?"""

from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policies.errors import InputError
from tools.statistics.paired import SMALLEST_SD
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.futility import later_crossing
from tools.statistics.sequential.model import Look, SequentialDesign, SummaryLook
from tools.statistics.sequential.rule import DECISIONS, judge
from tools.statistics.sequential.words import worded


def look(differences: ArrayLike, design: SequentialDesign, alpha: float, sesoi: ArrayLike) -> Look:
    """Judges n pairs under the S summaries of the verdict set.

    differences: (n, S) score points, treatment - control, complete pairs in the order in which they came; alpha: of
    this comparison (the plan's over k treatments); sesoi: a number or (S,). The first that holds:

    - `efficacy`: every summary is beyond the same bound with the same sign (intersection-union: level <= alpha);
    - `equivalence`: every repeated interval lies inside +- SESOI;
    - `n_max`: the plan allows no more pairs;
    - `futility`: in both directions some summary is unlikely to cross at any later look (not binding);
    - `go_on`: also before the first look, and where the differences do not vary.

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
            critical=_finite(critical),
            critical_strict=_finite(strict),
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
            low=_finite(mean - wide),
            high=_finite(mean + wide),
            low_strict=_finite(mean - strict),
            high_strict=_finite(mean + strict),
            chance_up=up,
            chance_down=down,
        )
        for mean, sd, wide, strict, up, down in zip(means, sds, half, strict_half, *chances, strict=True)
    )


def _without_statistics(values: NDArray[np.float64], sds: NDArray[np.float64], design: SequentialDesign) -> Look:
    """Too few pairs for a look, or differences that do not vary: goes on while the plan allows."""
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
            "pairs beyond it are an amendment, and exploratory"
        )
    if not np.all(np.isfinite(values)):
        raise InputError("a look needs complete pairs: some differences are missing or infinite; leave those pairs out")
    if margins.shape not in ((), values.shape[1:]) or not np.all(margins > 0.0):
        raise InputError(f"SESOI must be above 0, one number or one a summary, got {margins.tolist()}")
    return values, margins


def _sds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S,) sample SDs; 0 where the values differ by rounding only, and for fewer than two pairs."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    sds = values.std(axis=0, ddof=1)
    return np.where(sds > SMALLEST_SD, sds, 0.0)


def _pooled(sds: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(sds**2)))


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
