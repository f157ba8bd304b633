"""Bounds on |t| at every look that control the error over all looks together."""

from functools import lru_cache
from math import e as euler
from math import expm1, inf, log1p, sqrt

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.sequential.chain import next_density, t_of_r, unstopped, upper_quantile

LEAST_SPENT = 1e-4
"""A look with less error than this to spend is skipped and passes it to the next; the last look spends the rest."""


def boundaries(design: SequentialDesign, alpha: float) -> dict[int, float]:
    """Returns number of pairs at a look -> critical |t|, infinite if the look is skipped; two-sided alpha in total.

    The probability of a first crossing at look k is the spending function's increment there, to 1e-6, if the
    differences are normal with mean 0. Raises ValueError unless 0 < alpha < 1.
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


def spent(design: SequentialDesign, alpha: float, n: int) -> float:
    """Returns the two-sided error spent up to and including the look at n pairs; it rises to alpha at n_max.

    A function of the information fraction n / n_max; if the spending starts at the first look, of the share of looks
    taken, (n - n_min + 1) / looks, which is the same fraction counted from the pairs before the first look.

    Sources: Lan and DeMets (1983) for the two that resemble the bounds of O'Brien-Fleming and of Pocock, here with
    alpha / 2 per side; Kim and DeMets (1987) for the power family; Hwang, Shih and DeCani (1990).
    """
    parameter = design.spending_parameter
    before = design.n_min - 1 if design.spending_starts_at_first_look else 0
    fraction = (n - before) / (design.n_max - before)
    if design.spending == "obrien_fleming":
        from scipy.special import ndtr, ndtri

        return float(4.0 * ndtr(ndtri(alpha / 4.0) / sqrt(fraction)))
    if design.spending == "pocock":
        return alpha * log1p((euler - 1.0) * fraction)
    if design.spending == "power":
        return float(alpha * fraction**parameter)
    if abs(parameter) < 1e-9:
        return alpha * fraction
    return alpha * expm1(-parameter * fraction) / expm1(-parameter)
