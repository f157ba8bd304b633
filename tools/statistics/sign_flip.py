"""The exact sign-flip test of paired differences and the interval that it inverts to.

It assumes that the differences are symmetric about their mean, nothing else. A flip e in {-1, 1}^n is as likely as any
other, so p(theta) is the share of flips with |sum e_i (d_i - theta)| >= |sum (d_i - theta)|. For a flip of the pairs in
A that is so exactly when theta lies between the mean of A and the mean of the rest, and the mean of all lies there
too. So p falls on both sides of the mean, in steps at those subset means, and the limits are order statistics of them:
no grid, no search. Sources: Fisher (1935), section 21; Hartigan (1969), "typical values"; Monte Carlo p with the
data's own flip counted: Phipson and Smyth (2010).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.statistics.flips import Flips
from tools.statistics.paired import known, varies

_ROUNDING = 1e-9
"""Relative; sums that tie but for rounding are ties."""


class SignFlip(StrictModel):
    """Of the mean of n paired differences under one summary, score points."""

    n: int
    confidence: float
    p: float | None
    """Two-sided, of differences symmetric about 0; None for n < 2 and for differences that do not vary."""
    low: float | None
    high: float | None
    """Every theta that the test does not reject at 1 - confidence; None also where the test is not usable."""
    usable: bool
    """The smallest p that these flips can give reaches 1 - confidence: 2 / 2^n, or that of the random flips."""
    fewest_pairs: int
    """n from which it is usable at this confidence."""
    enumerated: bool
    """All 2^n flips; else `flips` counts random ones and the data's own."""
    flips: int


def fewest_pairs(confidence: float) -> int:
    """The smallest n with 2 / 2^n <= 1 - confidence: 6, 7, 9 for a family of 1, 3, 8 at 95 %."""
    n = 1
    while 2.0 / 2**n > (1.0 - confidence) * (1.0 + _ROUNDING):
        n += 1
    return n


def sign_flip(
    differences: NDArray[np.float64], summaries: Sequence[str], confidence: float, flips: Flips
) -> dict[str, SignFlip]:
    """One result a summary, of (n, S) differences; `flips` are those of n pairs, confidence is the family's."""
    n = len(differences)
    needed = fewest_pairs(confidence)
    estimable = varies(differences)
    rows = np.full((3, differences.shape[1]), np.nan)
    if estimable.any():
        rows[:, estimable] = sign_flip_arrays(differences[:, estimable], confidence, flips)
    usable = n >= needed and flips.unchanging <= (1.0 - confidence) * flips.total * (1.0 + _ROUNDING)
    if not usable:
        rows[1:] = np.nan
    return {
        summary: SignFlip(
            n=n,
            confidence=confidence,
            p=p,
            low=low,
            high=high,
            usable=usable,
            fewest_pairs=needed,
            enumerated=flips.enumerated,
            flips=flips.total,
        )
        for summary, p, low, high in zip(summaries, *map(known, rows), strict=True)
    }


def sign_flip_arrays(
    differences: NDArray[np.float64], confidence: float, flips: Flips
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """p, lower and upper limit, each (S,), of (n, S) differences that vary; infinite limits where not usable."""
    mean = differences.mean(axis=0)
    below, above = _reach((differences - mean).T, flips)
    facing = np.where((mean > 0)[:, None], below, above)
    slack = _ROUNDING * np.abs(differences).mean(axis=0)
    reached = (facing >= (np.abs(mean) - slack)[:, None]).sum(axis=1)
    p = (flips.unchanging + flips.each * reached) / flips.total
    # p(theta) > alpha holds as long as at least this many splits reach theta.
    rank = int(((1.0 - confidence) * flips.total * (1.0 + _ROUNDING) - flips.unchanging) // flips.each) + 1
    if rank < 1 or rank > below.shape[1]:
        endless = np.full(len(mean), np.inf)
        return p, -endless, endless
    at = below.shape[1] - rank
    return p, mean - np.partition(below, at, axis=1)[:, at], mean + np.partition(above, at, axis=1)[:, at]


def _reach(centred: NDArray[np.float64], flips: Flips) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far below and above the mean the two subset means of each split lie, both (S, splits), >= 0.

    centred: (S, n) differences less their mean, so that the sums of the two parts are opposite.
    """
    total = centred @ flips.flipped
    of_flipped, less_of_rest = total * flips.per_flipped, total * flips.per_rest
    # One of the two means lies above and the other below: the larger of two opposite signs is the positive one.
    return np.maximum(less_of_rest, -of_flipped), np.maximum(of_flipped, -less_of_rest)
