"""The error of an amended study, which takes one look more than planned."""

from collections.abc import Mapping

from tools.statistics.sequential.chain import beyond, next_density, r_of_t, unstopped


def crossing_probability(bounds: Mapping[int, float]) -> float:
    """Returns P(|t| is beyond its bound at any look) without any effect, the exact error of a design to 1e-6.

    bounds: number of pairs (at least 2) -> critical |t|, infinite for a skipped look. Raises ValueError without looks,
    and for a look at fewer than two pairs.
    """
    if not bounds or min(bounds) < 2:
        raise ValueError(f"looks need two pairs or more, got looks at {sorted(bounds)}")
    first, last = min(bounds), max(bounds)
    density = unstopped(first)
    error = 0.0
    for n in range(first, last + 1):
        limit = r_of_t(bounds[n], n) if n in bounds else density.reach
        limit = min(limit, density.reach)
        error += beyond(density, limit)
        if n < last:
            density = next_density(density, limit, n)
    return error


def amended_error(bounds: Mapping[int, float], extra: int) -> float:
    """Returns the error if a study that has not crossed by its last look adds `extra` >= 1 pairs and one more look.

    The new look uses the nominal level of the last planned one, as if the longer study had been planned. bounds: as in
    `crossing_probability`; one look for a fixed plan. The difference from the planned error is the cost of the
    amendment, and its results are exploratory at any cost, since the decision to continue depended on the scores.
    Source: Armitage, McPherson and Rowe (1969) on repeated tests.
    """
    from scipy.special import stdtr, stdtrit

    if extra < 1:
        raise ValueError(f"an amendment adds 1 pair or more, got {extra}")
    last = max(bounds)
    tail = float(stdtr(last - 1, -bounds[last]))
    new = last + extra
    return crossing_probability({**bounds, new: -float(stdtrit(new - 1, tail))})
