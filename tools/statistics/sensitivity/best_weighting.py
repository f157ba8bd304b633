"""The weighting of the benchmarks that puts the lower limit of the interval highest.

With benchmark means m (B,) and centred differences scaled by critical value / sqrt(n (n - 1)) as the rows of C (n, B),
the limit is L(w) = m.w - |C w|: concave, so its minimum over the simplex is a single benchmark, and its maximum a
convex problem.
"""

import numpy as np
from numpy.typing import NDArray

_TOLERANCE = 1e-4
"""Tolerance of the maximum, as a share of the largest half-width of a benchmark; verified by the duality gap."""
_STEPS = 60


def best_weighting(differences: NDArray[np.float64], critical: float) -> NDArray[np.float64]:
    """Weights (B,) >= 0, summing to 1, for differences (n, B), n >= 2, that maximise the lower limit.

    critical: by how many standard errors it lies below the mean.

    L > v somewhere exactly when some w >= 0 has (m - v).w > |C w|. The w of the largest ratio (m - v).w / |C w| is the
    direction of a non-negative least-squares solution; v <- L(w) is Newton's step on that ratio, convex in v, so it
    climbs to the maximum. Weightings under which the differences do not vary at all have an infinite ratio and are
    found by a linear programme first, where the climb alone leaves a gap.
    """
    n = len(differences)
    means = differences.mean(axis=0)
    centred = (differences - means) * (critical / (n * (n - 1)) ** 0.5)
    widths = np.linalg.norm(centred, axis=0)
    scale = float(widths.max())
    start: NDArray[np.float64] = np.zeros(len(means))
    start[(means - widths).argmax()] = 1.0
    if scale == 0.0:
        return start
    found = _climb(means, centred, start, scale)
    if _gap(means, centred, found) <= _TOLERANCE * scale:
        return found
    flat = _flat(means, centred, scale)
    if flat is None or _limit(means, centred, flat) <= _limit(means, centred, found):
        return found
    return _climb(means, centred, flat, scale)


def _limit(means: NDArray[np.float64], centred: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return float(means @ weights - np.linalg.norm(centred @ weights))


def _climb(
    means: NDArray[np.float64], centred: NDArray[np.float64], weights: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    from scipy.optimize import nnls

    level = _limit(means, centred, weights)
    target = np.zeros(len(centred) + 1)
    target[-1] = 1.0
    for _ in range(_STEPS):
        solution = nnls(np.vstack([centred, means - level]) / scale, target)[0]
        total = solution.sum()
        if total <= 0:
            break
        higher = _limit(means, centred, solution / total)
        if higher <= level + 1e-9 * scale:
            break
        weights, level = solution / total, higher
    return np.asarray(weights)


def _gap(means: NDArray[np.float64], centred: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The duality gap: for any |u| <= 1 the maximum is at most max(m - C'u)."""
    residual = centred @ weights
    width = float(np.linalg.norm(residual))
    if width == 0.0:
        return np.inf
    return float((means - centred.T @ (residual / width)).max()) - _limit(means, centred, weights)


def _flat(means: NDArray[np.float64], centred: NDArray[np.float64], scale: float) -> NDArray[np.float64] | None:
    """The weighting with the largest mean among those under which the differences are equal in all seeds."""
    from scipy.optimize import linprog

    # The rows of `centred` sum to zero: the last one follows from the others.
    equal = np.vstack([centred[:-1] / scale, np.ones(len(means))])
    solved = linprog(-means, A_eq=equal, b_eq=np.append(np.zeros(len(centred) - 1), 1.0), method="highs-ds")
    if solved.x is None:
        return None
    weights = np.maximum(solved.x, 0.0)
    return np.asarray(weights / weights.sum())
