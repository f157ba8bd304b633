"""What it costs to look once more than the plan allows: the error of an amended study."""

from collections.abc import Mapping

from tools.statistics.sequential.chain import beyond, next_density, r_of_t, unstopped


def crossing_probability(bounds: Mapping[int, float]) -> float:
    """P(|t| is beyond its bound at any look) without any effect: the error of a design, exactly, to 1e-6.

    bounds: number of pairs, from 2 on, -> critical |t|, infinite for a look that is skipped. Raises ValueError for
    none, and for a look at fewer than two pairs.
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
    """The error when a study that has not crossed by its last look adds `extra` >= 1 pairs and looks once more.

    The new look reads the nominal level of the last planned one: what a person does who treats the longer study as if
    it had been planned. bounds: as in `crossing_probability`; one look for a fixed plan. The difference to the planned
    error is the price of the amendment, and what it finds is exploratory whatever the price: the decision to go on
    hung on the scores. Source: Armitage, McPherson and Rowe (1969) on repeated tests.
    """
    from scipy.special import stdtr, stdtrit

    if extra < 1:
        raise ValueError(f"an amendment adds 1 pair or more, got {extra}")
    last = max(bounds)
    tail = float(stdtr(last - 1, -bounds[last]))
    new = last + extra
    return crossing_probability({**bounds, new: -float(stdtrit(new - 1, tail))})
