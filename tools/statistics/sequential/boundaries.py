"""Bounds on |t| at every look that hold the error of all looks together."""

from functools import lru_cache
from math import inf

from tools.statistics.sequential.chain import next_density, t_of_r, unstopped, upper_quantile
from tools.statistics.sequential.model import SequentialDesign
from tools.statistics.sequential.spending import spent

LEAST_SPENT = 1e-4
"""A look with less error than this to spend is skipped, and the next has it; the last look spends what is left."""


def boundaries(design: SequentialDesign, alpha: float) -> dict[int, float]:
    """Number of pairs at a look -> critical |t|, infinite where the look is skipped; two-sided level alpha in total.

    The chance of a first crossing at look k is what the spending function adds there, to 1e-6, when the differences
    are normal with mean 0. Raises ValueError unless 0 < alpha < 1.
    """
    return dict(_boundaries(design, alpha))


@lru_cache(maxsize=256)
def _boundaries(design: SequentialDesign, alpha: float) -> tuple[tuple[int, float], ...]:
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
    density = unstopped(design.n_min)
    bounds: list[tuple[int, float]] = []
    used = 0.0
    for n in design.looks:
        to_spend = spent(design, alpha, n) - used
        skipped = to_spend < LEAST_SPENT and n < design.n_max
        limit = density.reach if skipped else upper_quantile(density, to_spend)
        used += 0.0 if skipped else to_spend
        bounds.append((n, inf if skipped else t_of_r(limit, n)))
        if n < design.n_max:
            density = next_density(density, limit, n)
    return tuple(bounds)
