"""The probability that a later look crosses its bound, given the data so far: the basis for stopping for futility.

Given n differences with mean m and SD s, the later ones are drawn as normal with mean theta, the one-sided upper limit
m + t(confidence, n - 1) s / sqrt(n), and with sigma^2 from its posterior (n - 1) s^2 / chi2(n - 1). Everything scales
with s, and adding a constant to all values, past and future, shifts the means but no SD: so each simulated future
crosses from some t = m sqrt(n) / s upwards. One sorted array of those values gives the probability for every t, in both
directions by symmetry, and the rule is a limit on |t|.

With several summaries, efficacy requires all of them to cross at the same look. Its probability is bounded by that of
the least likely summary, whatever the correlations. The bound is never below the joint probability, so it never stops a
study that the joint probability would continue.
"""

from functools import lru_cache
from math import ceil, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.random_streams import rng_for
from tools.statistics.sequential.boundaries import boundaries

DRAWS = 10_000
"""Simulated futures per look: the Monte-Carlo error at 20 % is 0.004, and the level never depends on this rule."""


def later_crossing(t: NDArray[np.floating[Any]], design: SequentialDesign, alpha: float, n: int) -> NDArray[np.float64]:
    """Returns P(a look after n crosses its upper bound) at the upper limit of the effect, for t of any shape.

    At -t it is the probability of crossing the lower bound at the lower limit. n is any look except the last.
    """
    return np.asarray(np.searchsorted(_crosses_from(design, alpha, n), t, side="right") / DRAWS)


def futility_limit(design: SequentialDesign, alpha: float, n: int) -> float:
    """Returns the t below which `later_crossing` is below the design's `futility_chance`; -inf without that rule."""
    needed = ceil(design.futility_chance * DRAWS)
    return float(_crosses_from(design, alpha, n)[needed - 1]) if needed else -inf


@lru_cache(maxsize=512)
def _crosses_from(design: SequentialDesign, alpha: float, n: int) -> NDArray[np.float64]:
    """(DRAWS,) sorted: the t at look n from which each simulated future crosses the upper bound."""
    from scipy.special import stdtrit

    # 0.05 and 1 - 0.95 are the same level: neither draws nor decisions depend on rounding.
    rng = rng_for(design.model_dump_json(), f"futility at {n} of level {float(f'{alpha:.12g}')!r}")
    ahead = design.n_max - n
    sigma = np.sqrt((n - 1) / rng.chisquare(n - 1, (DRAWS, 1)))
    theta = float(stdtrit(n - 1, design.futility_confidence)) / sqrt(n)
    future = theta + sigma * rng.standard_normal((DRAWS, ahead))
    counts = np.arange(n + 1, design.n_max + 1)
    means = np.cumsum(future, axis=1) / counts
    variances = ((n - 1) + np.cumsum(future * future, axis=1) - counts * means * means) / (counts - 1)
    bounds = boundaries(design, alpha)
    half = np.array([bounds[int(count)] for count in counts]) * np.sqrt(variances / counts)
    return np.asarray(np.sort(sqrt(n) * np.min(half - means, axis=1)))
