"""The rule from statistics to decision; the same code judges one look or an array of simulated looks."""

from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.futility import futility_limit
from tools.statistics.sequential.model import LookDecision

DECISIONS: tuple[LookDecision, ...] = get_args(LookDecision)
"""The decisions; `Judged.code` is an index into it."""


class Judged(NamedTuple):
    """The decisions of looks of any array shape (...)."""

    code: NDArray[np.int64]
    """Index into `DECISIONS`."""
    direction: NDArray[np.int64]
    """+1 or -1 if every summary is beyond the bound, else 0."""
    inside: NDArray[np.bool_]
    """Whether every repeated interval is inside +- SESOI."""


def judge(
    means: NDArray[np.floating[Any]],
    errors: NDArray[np.floating[Any]],
    n: int,
    design: SequentialDesign,
    alpha: float,
    sesoi: ArrayLike,
) -> Judged:
    """Judges looks at n pairs, one of the design's looks.

    means, errors: (..., S) mean difference and its standard error sd / sqrt(n) > 0; sesoi: a number or (S,). Returns
    the first decision that applies, in the order that `tools.statistics.sequential.look` documents.
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
