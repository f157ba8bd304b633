"""The t statistic of a growing sample without any effect as a one-dimensional Markov chain.

Let x_1, x_2, ... be independent N(0, sigma^2) and r_k = (x_1 + ... + x_k) / sqrt(x_1^2 + ... + x_k^2). The t statistic
of k values is an increasing function of it, t^2 = (k - 1) r^2 / (k - r^2), so crossing |t| > b is crossing |r| > c. The
direction of (x_1 .. x_k) is independent of its length, and r_1 .. r_k depend only on the direction. Hence
u = x_(k+1) / |(x_1 .. x_k)| is independent of them, and with tan(phi) = u

    r_(k+1) = (r_k + u) / sqrt(1 + u^2) = r_k cos(phi) + sin(phi),    density of phi proportional to cos^(k-1)(phi)

is a one-dimensional Markov chain, free of sigma: the process of (mean, sum of squares) with its scale divided out. The
density of r among the studies that have not crossed follows from one integral per look,

    f_(k+1)(y) = C_k integral of f_k(r) cos^(k-2)(phi) dphi,    r = (y - sin(phi)) / cos(phi), over |r| < c_k.

It is even, and smooth except at |y| = 1 (the values after one infinitely long step), so it is represented by two
Chebyshev series in asin(y / reach), where reach = sqrt(1 + c_k^2) is the largest value that a study can have.
"""

from collections.abc import Callable
from functools import lru_cache
from math import asin, atan, exp, isinf, lgamma, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

DEGREE, NODES = 36, 36
"""Of a series; on each of three pieces of the integral. Doubling both changes no bound by 1e-6, up to 200 looks."""
_Function = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
_Piece = tuple[float, float, NDArray[np.float64]]


class Density(NamedTuple):
    """The density of |r| among all studies that have not crossed, in asin(|r| / reach), below and above |r| = 1."""

    reach: float
    split: float
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    """Chebyshev coefficients on [0, split] and on [split, pi / 2]."""


def unstopped(k: int) -> Density:
    """Returns the density at the first look: sqrt(k) times the first coordinate of a uniform direction in R^k."""
    reach = sqrt(k)
    constant = 2.0 * exp(lgamma(k / 2) - lgamma((k - 1) / 2)) / sqrt(pi)
    return _fit(reach, lambda y, theta: constant * np.cos(theta) ** (k - 2))


def next_density(density: Density, limit: float, k: int) -> Density:
    """Returns the density at k + 1 values from that at k values, for the studies with |r| below `limit`."""
    constant = exp(lgamma((k + 1) / 2) - lgamma(k / 2)) / sqrt(pi)
    reach = sqrt(1.0 + limit**2)
    # cos^(k-2)(phi) <= exp(-(k - 2) phi^2 / 2): below 1e-10 beyond this phi.
    widest = 7.0 / sqrt(max(k - 2, 1))

    def values(y: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
        edges = np.clip(_edges(y, limit), -widest, widest)
        nodes, weights = _quadrature(NODES)
        half = np.diff(edges, axis=-1)[..., None] / 2.0
        phi = edges[..., :-1, None] + half * (1.0 + nodes)
        r = np.abs((y[:, None, None] - np.sin(phi)) / np.cos(phi))
        inside = np.sum(weights * half * np.cos(phi) ** (k - 2) * _of_r(density, r), axis=(-2, -1))
        return np.asarray(constant * reach * np.cos(theta) * inside)

    return _fit(reach, values)


def beyond(density: Density, limit: float) -> float:
    """Returns P(|r| > limit): the share of all studies that have not crossed before and now do."""
    return _beyond(_integrals(density), asin(min(1.0, limit / density.reach)))


def upper_quantile(density: Density, mass: float) -> float:
    """Returns the |r| that studies with this total probability exceed; mass: less than the total of the density."""
    from scipy.optimize import brentq

    integrals = _integrals(density)
    # By the angle, which has more digits than r near `reach`.
    theta = brentq(lambda angle: _beyond(integrals, angle) - mass, 0.0, pi / 2.0, xtol=1e-14)
    return density.reach * sin(float(theta))


def t_of_r(r: float, k: int) -> float:
    """Returns |t| of k values from |r| < sqrt(k)."""
    return sqrt((k - 1) * r**2 / (k - r**2))


def r_of_t(t: float, k: int) -> float:
    """Returns |r| of k values from |t|; infinite t gives the largest r, sqrt(k)."""
    return sqrt(k) if isinf(t) else sqrt(k * t**2 / (k - 1 + t**2))


def _edges(y: NDArray[np.float64], limit: float) -> NDArray[np.float64]:
    """(Y, 4) the phi between which a step to y >= 0 starts from |r| < limit: three pieces, |r| <= 1 in the middle one.

    For y < 1 a start falls from +limit to -limit as phi rises; for y > 1 it falls to sqrt(y^2 - 1) and rises again.
    """
    # If no start from |r| <= 1 leads to y, the middle piece is empty: both its ends are where r turns.
    turns_at = np.arcsin(1.0 / np.maximum(y, 1.0))
    empty = y * y >= 2.0
    ends = []
    for r in (limit, min(1.0, limit)):
        angle, turn = np.arcsin(np.minimum(1.0, y / sqrt(1.0 + r * r))), atan(r)
        ends.append((angle - turn, np.where(y < 1.0, angle + turn, pi - angle - turn)))
    (first, last), inner = ends[0], [np.where(empty, turns_at, end) for end in ends[1]]
    return np.stack([first, inner[0], inner[1], last], axis=-1)


def _of_r(density: Density, r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Density of |r| itself, (Y, 3, nodes) on the pieces of `_edges`: that of the angle over dr / dangle."""
    theta = np.arcsin(np.minimum(1.0, r / density.reach))
    found = np.empty_like(r)
    for at, (low, high, series) in zip((slice(1, 2), slice(0, 3, 2)), _pieces(density), strict=True):
        x = (theta[:, at] - low) * (2.0 / (high - low)) - 1.0
        found[:, at] = chebyshev.chebval(np.clip(x, -1.0, 1.0), series)
    return np.asarray(found / np.sqrt(np.maximum(density.reach**2 - r * r, 1e-300)))


def _fit(reach: float, values: _Function) -> Density:
    """Chebyshev series of values(y, theta) on both pieces."""
    points, transform = _chebyshev_points(DEGREE)
    split = asin(1.0 / reach)
    series = []
    for low, high in ((0.0, split), (split, pi / 2.0)):
        theta = low + (high - low) * (points + 1.0) / 2.0
        series.append(transform @ values(reach * np.sin(theta), theta))
    return Density(reach, split, series[0], series[1])


def _pieces(density: Density) -> tuple[_Piece, ...]:
    """Lower and upper end as angles, and the series."""
    return ((0.0, density.split, density.below), (density.split, pi / 2.0, density.above))


def _integrals(density: Density) -> tuple[_Piece, ...]:
    """Of each piece, the series of the integral from a point on it, as x on [-1, 1], to its upper end."""
    return tuple(
        (low, high, np.asarray(chebyshev.chebint(series, lbnd=1.0) * (low - high) / 2.0, dtype=np.float64))
        for low, high, series in _pieces(density)
    )


def _beyond(integrals: tuple[_Piece, ...], theta: float) -> float:
    total = 0.0
    for low, high, integral in integrals:
        x = 2.0 * (min(max(theta, low), high) - low) / (high - low) - 1.0
        total += float(chebyshev.chebval(x, integral))
    return total


@lru_cache(maxsize=1)
def _quadrature(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """On [-1, 1], exact enough for square roots at both ends: Gauss-Legendre in u, x = sin(pi u / 2)."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return np.sin(pi / 2.0 * nodes), np.asarray(weights * pi / 2.0 * np.cos(pi / 2.0 * nodes))


@lru_cache(maxsize=1)
def _chebyshev_points(degree: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points on [-1, 1], and the matrix that turns values there into coefficients."""
    points = np.asarray(chebyshev.chebpts1(degree + 1), dtype=np.float64)
    transform = 2.0 / (degree + 1) * chebyshev.chebvander(points, degree).T
    transform[0] /= 2.0
    return points, np.asarray(transform, dtype=np.float64)
