"""The exact power of the paired t interval for one summary.

The noncentral t probability P(T > t) = E_S[Phi(nc - t S)], S = sqrt(chi2(df) / df), is integrated over S by Gauss-
Legendre panels around the step of Phi. scipy's `nct.cdf` gives NaN in the far lower tail (noncentrality from ~7.7 at
small df) and at large noncentralities; this does not, and the equivalence test needs the same integral. Effects and SDs
are those of paired differences in score points; n is the number of pairs.
"""

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, lgamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from tools.statistics.paired import critical_t

MOST_PAIRS = 1_000_000
"""Searches for n stop here and return None."""
_PANELS_WIDE = 9.0
"""Standard deviations beyond which a normal tail (1e-19) is negligible."""


def power(n: int, effect: float, sd: float, alpha: float) -> float:
    """Returns P(the two-sided 1 - alpha interval of n pairs excludes zero) at a true difference; 0 for n < 2."""
    if n < 2:
        return 0.0
    critical, nc = critical_t(n - 1, 1.0 - alpha), sqrt(n) * effect / sd
    return min(1.0, _tail(n - 1, critical, nc) + _tail(n - 1, critical, -nc))


def power_one_way(n: int, effect: float, sd: float, alpha: float) -> float:
    """Returns P(the 1 - alpha interval of n pairs excludes zero on the side of `effect`); 0 for n < 2."""
    return 0.0 if n < 2 else _tail(n - 1, critical_t(n - 1, 1.0 - alpha), sqrt(n) * abs(effect) / sd)


def power_equivalence(n: int, effect: float, sd: float, alpha: float, sesoi: float) -> float:
    """Returns P(the two-sided 1 - alpha interval is inside +- sesoi) at a true difference; 0 for n < 2."""
    from scipy.special import ndtr

    if n < 2:
        return 0.0
    error, critical = sd / sqrt(n), critical_t(n - 1, 1.0 - alpha)
    widest = sesoi / (critical * error)
    s, density = _spread(n - 1, (widest,), upper=widest)
    room = sesoi - critical * error * s
    hit = ndtr((room - effect) / error) - ndtr((-room - effect) / error)
    return min(1.0, max(0.0, float(density @ hit)))


def detectable_effect(n: int, sd: float, alpha: float, power: float = 0.8) -> float | None:
    """Returns the true difference that n pairs detect with probability `power`; None for n < 2 (no interval)."""
    return None if n < 2 else sd * _detectable_ratio(n, alpha, power)


def seeds_needed(effect: float, sd: float, alpha: float, power: float = 0.8) -> int | None:
    """Returns the smallest number of pairs with that power; None if over a million, or for an effect of 0."""
    return smallest(lambda n: power_one_way(n, effect, sd, alpha) >= power) if effect else None


def seeds_for_equivalence(sesoi: float, sd: float, alpha: float, power: float = 0.8) -> int | None:
    """Returns the smallest n that shows equivalence with that power at a true difference of 0; None: over a million."""
    return smallest(lambda n: power_equivalence(n, 0.0, sd, alpha, sesoi) >= power)


def expected_half_width(n: int, sd: float, alpha: float) -> float | None:
    """Returns the mean half-width t c4(n) sd / sqrt(n) of the 1 - alpha interval; None for n < 2."""
    if n < 2:
        return None
    c4 = sqrt(2.0 / (n - 1)) * exp(lgamma(n / 2) - lgamma((n - 1) / 2))
    return critical_t(n - 1, 1.0 - alpha) * c4 * sd / sqrt(n)


def upper_sd(sd: float, df: int, confidence: float = 0.8) -> float:
    """Returns the one-sided upper limit of an SD on df degrees of freedom: s sqrt(df / chi2(1 - confidence, df))."""
    from scipy.special import chdtri

    return sd * sqrt(df / float(chdtri(df, confidence)))


def smallest(enough: Callable[[int], bool], low: int = 2, high: int = MOST_PAIRS) -> int | None:
    """Returns the smallest n in [low, high] that is enough, for monotone `enough`; None if none is."""
    step, n = 1, low
    while n < high and not enough(n):
        low, n, step = n + 1, min(high, n + step), 2 * step
    if n == high and not enough(n):
        return None
    while low < n:
        middle = (low + n) // 2
        low, n = (low, middle) if enough(middle) else (middle + 1, n)
    return n


def smallest_effect(enough: Callable[[float], bool]) -> float:
    """Returns the smallest effect above 0 that is enough, by bisection; `enough` is monotone and true somewhere."""
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@lru_cache(maxsize=4096)
def _detectable_ratio(n: int, alpha: float, wanted: float) -> float:
    """effect / SD; power rises with the effect."""
    return smallest_effect(lambda effect: power(n, effect, 1.0, alpha) >= wanted)


def _tail(df: int, critical: float, nc: float) -> float:
    """P(T > critical) of the noncentral t distribution."""
    from scipy.special import ndtr

    step, width = nc / critical, _PANELS_WIDE / critical
    s, density = _spread(df, (step - width, step, step + width))
    return min(1.0, max(0.0, float(density @ ndtr(nc - critical * s))))


def _spread(df: int, breaks: tuple[float, ...], upper: float = inf) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quadrature of an expectation over S = sqrt(chi2(df) / df): nodes, and weights that include the density."""
    reach = _PANELS_WIDE / sqrt(2.0 * df)
    low, high = max(0.0, 1.0 - 1.5 * reach), min(upper, 1.0 + 1.5 * reach)
    if high <= low:
        return np.zeros(1), np.zeros(1)
    inner = sorted({edge for edge in (*breaks, 1.0 - reach / 3.0, 1.0, 1.0 + reach / 3.0) if low < edge < high})
    edges = np.array([low, *inner, high])
    nodes, weights = _gauss_legendre()
    half, centre = np.diff(edges)[:, None] / 2.0, (edges[1:] + edges[:-1])[:, None] / 2.0
    s = (centre + half * nodes).ravel()
    density = np.exp(log(2.0) + _log_gamma_ratio(df / 2.0) + (df - 1) * np.log(s) - df * (s * s - 1.0) / 2.0)
    return s, (half * weights).ravel() * density


def _log_gamma_ratio(a: float) -> float:
    """log(a^a e^-a / Gamma(a)), by Stirling's series if the terms would cancel."""
    if a < 100.0:
        return a * log(a) - a - lgamma(a)
    return log(a / (2.0 * pi)) / 2.0 - 1.0 / (12.0 * a) + 1.0 / (360.0 * a**3)


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.polynomial.legendre.leggauss(48)
