"""The rule from statistics to decision, for one look or a whole array of simulated ones: the same code judges both."""

from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.futility import futility_limit
from tools.statistics.sequential.model import LookDecision, SequentialDesign

DECISIONS: tuple[LookDecision, ...] = get_args(LookDecision)
"""`Judged.code` counts in it."""


class Judged(NamedTuple):
    """Of looks of any array shape (...)."""

    code: NDArray[np.int64]
    """Index into `DECISIONS`."""
    direction: NDArray[np.int64]
    """+1 or -1 when every summary is beyond the bound, else 0."""
    inside: NDArray[np.bool_]
    """Every repeated interval lies inside +- SESOI."""


def judge(
    means: NDArray[np.floating[Any]],
    errors: NDArray[np.floating[Any]],
    n: int,
    design: SequentialDesign,
    alpha: float,
    sesoi: ArrayLike,
) -> Judged:
    """Judges looks at n pairs, one of the design's looks.

    means, errors: (..., S) mean difference and its standard error sd / sqrt(n) > 0; sesoi: a number or (S,). The first
    that holds, in the order that `tools.statistics.sequential.look` documents.
    """
    critical = boundaries(design, alpha)[n]
    t = means / errors
    lowest, highest = t.min(axis=-1), t.max(axis=-1)
    direction = (lowest > critical).astype(np.int64) - (highest < -critical).astype(np.int64)
    inside = np.asarray(np.all(np.abs(means) + critical * errors < np.asarray(sesoi), axis=-1))
    if n == design.n_max:
        rest = np.full(direction.shape, DECISIONS.index("n_max"))
    else:
        limit = futility_limit(design, alpha, n)
        hopeless = (lowest < limit) & (highest > -limit)
        rest = np.where(hopeless, DECISIONS.index("futility"), DECISIONS.index("go_on"))
    without_efficacy = np.where(inside, DECISIONS.index("equivalence"), rest)
    return Judged(np.where(direction != 0, DECISIONS.index("efficacy"), without_efficacy), direction, inside)
