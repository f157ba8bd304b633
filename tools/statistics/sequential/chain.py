"""The t statistic of a growing sample without any effect, as a Markov chain in one dimension.

Let x_1, x_2, ... be independent N(0, sigma^2) and r_k = (x_1 + ... + x_k) / sqrt(x_1^2 + ... + x_k^2). The t statistic
of k values is a rising function of it, t^2 = (k - 1) r^2 / (k - r^2), so crossing |t| > b is crossing |r| > c. The
direction of (x_1 .. x_k) is independent of its length, and r_1 .. r_k depend on the direction only. Hence
u = x_(k+1) / |(x_1 .. x_k)| is independent of them, and with tan(phi) = u

    r_(k+1) = (r_k + u) / sqrt(1 + u^2) = r_k cos(phi) + sin(phi),    density of phi proportional to cos^(k-1)(phi)

is a Markov chain in one dimension, free of sigma: the process of (mean, sum of squares) with its scale divided out. The
density of r among the studies that have not crossed follows by one integral a look,

    f_(k+1)(y) = C_k integral of f_k(r) cos^(k-2)(phi) dphi,    r = (y - sin(phi)) / cos(phi), over |r| < c_k.

It is even, and not smooth at |y| = 1 alone (the values after one infinitely long step), so that it is held as two
Chebyshev series in asin(y / reach), where reach = sqrt(1 + c_k^2) is the largest value that a study can have.
"""

from collections.abc import Callable
from functools import lru_cache
from math import asin, exp, isinf, lgamma, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

_DEGREE = 24
_NODES = 24
"""On each of three pieces of the integral; the bounds change by less than 1e-8 when both numbers are doubled."""

_Function = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


class Density(NamedTuple):
    """Of |r| among all studies that have not crossed: in asin(|r| / reach), below |r| = 1 and above it."""

    reach: float
    split: float
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    """Chebyshev coefficients on [0, split] and on [split, pi / 2]."""


def unstopped(k: int) -> Density:
    """At the first look: the first coordinate of a uniform direction in k dimensions, times sqrt(k)."""
    reach = sqrt(k)
    constant = 2.0 * exp(lgamma(k / 2) - lgamma((k - 1) / 2)) / sqrt(pi)
    return _fit(reach, lambda y, theta: constant * np.cos(theta) ** (k - 2))


def next_density(density: Density, limit: float, k: int) -> Density:
    """From k to k + 1 values, of the studies with |r| below `limit`."""
    constant = exp(lgamma((k + 1) / 2) - lgamma(k / 2)) / sqrt(pi)
    reach = sqrt(1.0 + limit**2)

    def values(y: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
        edges = _edges(y, limit)
        nodes, weights = _quadrature()
        half = np.diff(edges, axis=-1)[..., None] / 2.0
        phi = edges[..., :-1, None] + half * (1.0 + nodes)
        r = np.abs((y[:, None, None] - np.sin(phi)) / np.cos(phi))
        inside = np.sum(weights * half * np.cos(phi) ** (k - 2) * _of_r(density, r), axis=(-2, -1))
        return np.asarray(constant * reach * np.cos(theta) * inside)

    return _fit(reach, values)


def beyond(density: Density, limit: float) -> float:
    """P(|r| > limit): of all studies, those that have not crossed and now do."""
    theta = asin(min(1.0, limit / density.reach))
    total = 0.0
    for low, high, series in _pieces(density):
        x = 2.0 * (min(max(theta, low), high) - low) / (high - low) - 1.0
        total += float(chebyshev.chebval(x, _upper_integral(low, high, series)))
    return total


def upper_quantile(density: Density, mass: float) -> float:
    """The |r| that studies with this total probability exceed; fewer than all that are left."""
    from scipy.optimize import brentq

    return float(brentq(lambda limit: beyond(density, limit) - mass, 0.0, density.reach, xtol=1e-14))


def t_of_r(r: float, k: int) -> float:
    """|t| of k values, from |r| < sqrt(k)."""
    return sqrt((k - 1) * r**2 / (k - r**2))


def r_of_t(t: float, k: int) -> float:
    """|r| of k values, from |t|; infinite t gives the largest r, sqrt(k)."""
    return sqrt(k) if isinf(t) else sqrt(k * t**2 / (k - 1 + t**2))


def _edges(y: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """(Y, 4) the phi between which a step to y >= 0 starts from |r| < limit, broken where |r| = 1.

    For y < 1 a start falls from +limit to -limit as phi rises; for y > 1 it falls to sqrt(y^2 - 1) and rises again.
    """
    inner = np.clip(1.0, np.minimum(np.sqrt(np.maximum(y * y - 1.0, 0.0)), limit), limit)
    outer = np.full_like(y, limit)
    angles = [np.arcsin(np.minimum(1.0, y / np.sqrt(1.0 + r * r))) for r in (outer, inner)]
    turns = [np.arctan(r) for r in (outer, inner)]
    first = [angle - turn for angle, turn in zip(angles, turns, strict=True)]
    last = [np.where(y < 1.0, angle + turn, pi - angle - turn) for angle, turn in zip(angles, turns, strict=True)]
    return np.stack([first[0], first[1], last[1], last[0]], axis=-1)


def _of_r(density: Density, r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Density of |r| itself: that of the angle over dr / dangle."""
    theta = np.arcsin(np.minimum(1.0, r / density.reach))
    cosine = np.sqrt(np.maximum(density.reach**2 - r * r, 1e-300))
    split, rest = density.split, pi / 2.0 - density.split
    below = chebyshev.chebval(np.minimum(theta, split) * (2.0 / split) - 1.0, density.below)
    above = chebyshev.chebval((np.maximum(theta, split) - split) * (2.0 / rest) - 1.0, density.above)
    return np.asarray(np.where(theta < split, below, above) / cosine)


def _fit(reach: float, values: _Function) -> Density:
    """Chebyshev series of values(y, theta) on both pieces."""
    points, transform = _chebyshev_points()
    split = asin(1.0 / reach)
    series = []
    for low, high in ((0.0, split), (split, pi / 2.0)):
        theta = low + (high - low) * (points + 1.0) / 2.0
        series.append(transform @ values(reach * np.sin(theta), theta))
    return Density(reach, split, series[0], series[1])


def _pieces(density: Density) -> tuple[tuple[float, float, NDArray[np.float64]], ...]:
    return ((0.0, density.split, density.below), (density.split, pi / 2.0, density.above))


def _upper_integral(low: float, high: float, series: NDArray[np.float64]) -> NDArray[np.float64]:
    """Series of the integral from a point on [low, high], as x on [-1, 1], to `high`."""
    return np.asarray(chebyshev.chebint(series, lbnd=1.0) * (low - high) / 2.0, dtype=np.float64)


@lru_cache(maxsize=1)
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """On [-1, 1], exact enough for square roots at both ends: Gauss-Legendre in u, x = sin(pi u / 2)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return np.sin(pi / 2.0 * nodes), np.asarray(weights * pi / 2.0 * np.cos(pi / 2.0 * nodes))


@lru_cache(maxsize=1)
def _chebyshev_points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points on [-1, 1], and the matrix that turns values there into coefficients."""
    points = np.asarray(chebyshev.chebpts1(_DEGREE + 1), dtype=np.float64)
    transform = 2.0 / (_DEGREE + 1) * chebyshev.chebvander(points, _DEGREE).T
    transform[0] /= 2.0
    return points, np.asarray(transform, dtype=np.float64)
