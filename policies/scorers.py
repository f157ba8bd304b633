"""Scorers: a signal of the training run -> a number per rollout or per domain. Actuators turn numbers into actions.

Shapes: N rollouts, L tokens, D domains, T steps of a window.
"""

import numpy as np

from policies.base import Floats, RolloutBatch


def mean_abs_advantage(batch: RolloutBatch) -> Floats:
    """(N,) mean of |A| over a rollout's tokens that count; 0 for a rollout without any."""
    tokens = np.count_nonzero(batch.mask, axis=1)
    total: Floats = np.abs(batch.advantages).sum(axis=1, dtype=np.float64)
    scores: Floats = total / np.maximum(tokens, 1)
    return scores


def abs_slope(steps: Floats, values: Floats) -> Floats:
    """(D,) |slope| of the least-squares line through a domain's (step, value) points.

    `steps` (T,), `values` (T, D) with NaN where a domain had no rollout. NaN for a domain with fewer than two points.
    """
    seen = ~np.isnan(values)
    points = seen.sum(axis=0)
    enough = points >= 2
    divisor = np.maximum(points, 1)
    x = np.where(seen, steps[:, None], 0.0)
    y = np.where(seen, values, 0.0)
    x = np.where(seen, x - x.sum(axis=0) / divisor, 0.0)
    y = np.where(seen, y - y.sum(axis=0) / divisor, 0.0)
    squares = (x * x).sum(axis=0)
    spread = np.where(squares > 0, squares, 1.0)
    slopes: Floats = np.where(enough, np.abs((x * y).sum(axis=0) / spread), np.nan)
    return slopes
