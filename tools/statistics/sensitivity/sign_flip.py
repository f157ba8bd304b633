"""The exact sign-flip test of paired differences and the interval obtained by inverting it.

It assumes only that the differences are symmetric about their mean. All flips e in {-1, 1}^n are then equally likely,
so p(theta) is the share of flips with |sum e_i (d_i - theta)| >= |sum (d_i - theta)|. For a flip of the pairs in A this
holds exactly if theta is between the mean of A and the mean of the rest, which also enclose the mean of all. So p falls
on both sides of the mean, in steps at those subset means, and the limits are order statistics of them, without grid or
search. Sources: Fisher (1935), section 21; Hartigan (1969), "typical values"; Monte Carlo p that counts the data's own
flip: Phipson and Smyth (2010).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.statistics.paired import known, varies


class Flips(NamedTuple):
    """Splits of n pairs into a flipped part and the rest, both non-empty."""

    n: int
    flipped: NDArray[np.float64]
    """(n, splits): 1 if the pair is flipped, else 0."""
    per_flipped: NDArray[np.float64]
    """(splits,) 1 / number of pairs flipped."""
    per_rest: NDArray[np.float64]
    """(splits,) 1 / number of pairs not flipped."""
    enumerated: bool
    """Whether these are all splits, each representing two flips; otherwise random ones with replacement."""
    unchanging: int
    """Number of further flips that do not change |sum|: flip none, flip all; includes the data's own flip."""

    @property
    def total(self) -> int:
        """Total number of flips, the denominator of p: 2^n, or draws + 1."""
        return self.unchanging + self.each * int(self.flipped.shape[1])

    @property
    def each(self) -> int:
        """Number of flips that one split represents."""
        return 2 if self.enumerated else 1


_ROUNDING = 1e-9
"""Relative tolerance; sums that are equal up to rounding are ties."""


class SignFlip(StrictModel):
    """The sign-flip test of the mean of n paired differences under one summary, score points."""

    n: int
    confidence: float
    p: float | None
    """Two-sided p of differences symmetric about 0; None for n < 2 and for differences that do not vary."""
    low: float | None
    high: float | None
    """Limits of the theta that the test does not reject at 1 - confidence; None also if the test is not usable."""
    usable: bool
    """Whether the smallest possible p (2 / 2^n, or that of the random flips) reaches 1 - confidence."""
    fewest_pairs: int
    """Smallest n at which it is usable at this confidence."""
    enumerated: bool
    """Whether all 2^n flips are used; otherwise `flips` counts random flips and the data's own."""
    flips: int


def fewest_pairs(confidence: float) -> int:
    """Returns the smallest n with 2 / 2^n <= 1 - confidence: 6, 7, 9 for a family of 1, 3, 8 at 95 %."""
    n = 1
    while 2.0 / 2**n > (1.0 - confidence) * (1.0 + _ROUNDING):
        n += 1
    return n


def sign_flip(
    differences: NDArray[np.float64], summaries: Sequence[str], confidence: float, flips: Flips
) -> dict[str, SignFlip]:
    """Returns one result per summary from (n, S) differences; `flips` are those of n pairs, confidence the family's."""
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
    """Returns p, lower and upper limit, each (S,), of (n, S) differences that vary; infinite limits if not usable."""
    mean = differences.mean(axis=0)
    below, above = _reach((differences - mean).T, flips)
    facing = np.where((mean > 0)[:, None], below, above)
    slack = _ROUNDING * np.abs(differences).mean(axis=0)
    reached = (facing >= (np.abs(mean) - slack)[:, None]).sum(axis=1)
    p = (flips.unchanging + flips.each * reached) / flips.total
    # p(theta) > alpha holds if at least this many splits reach theta.
    rank = int(((1.0 - confidence) * flips.total * (1.0 + _ROUNDING) - flips.unchanging) // flips.each) + 1
    if rank < 1 or rank > below.shape[1]:
        endless = np.full(len(mean), np.inf)
        return p, -endless, endless
    at = below.shape[1] - rank
    return p, mean - np.partition(below, at, axis=1)[:, at], mean + np.partition(above, at, axis=1)[:, at]


def _reach(centred: NDArray[np.float64], flips: Flips) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances of the two subset means of each split below and above the mean, both (S, splits), >= 0.

    centred: (S, n) differences minus their mean, so that the sums of the two parts are opposite.
    """
    total = centred @ flips.flipped
    of_flipped, less_of_rest = total * flips.per_flipped, total * flips.per_rest
    # One of the two means is above and the other below: the larger of two values of opposite sign is the positive one.
    return np.maximum(less_of_rest, -of_flipped), np.maximum(of_flipped, -less_of_rest)


MOST_ENUMERATED = 16
"""Largest number of pairs for which all 2^n flips are enumerated."""
DRAWS = 9_999
"""Number of random flips for more pairs; with the flip that changes nothing they make 10,000."""


def flips_for(n: int, rng: np.random.Generator, draws: int = DRAWS) -> Flips:
    """Returns all flips of n pairs for n = 1 to 16, else `draws` random ones; compute them once for each n."""
    return _enumerated(n) if n <= MOST_ENUMERATED else _drawn(n, rng, draws)


@lru_cache(maxsize=MOST_ENUMERATED)
def _enumerated(n: int) -> Flips:
    codes = np.arange(1, 2 ** (n - 1))
    # The last pair is never flipped: the splits that flip it are the complements of those that do not.
    return _flips(((codes >> np.arange(n)[:, None]) & 1).astype(np.float64), enumerated=True, unchanging=2)


def _drawn(n: int, rng: np.random.Generator, draws: int) -> Flips:
    flipped = rng.integers(0, 2, (n, draws)).astype(np.float64)
    sizes = flipped.sum(axis=0)
    split = (sizes > 0) & (sizes < n)
    return _flips(flipped[:, split], enumerated=False, unchanging=1 + int(draws - split.sum()))


def _flips(flipped: NDArray[np.float64], *, enumerated: bool, unchanging: int) -> Flips:
    flipped = np.ascontiguousarray(flipped)
    flipped.setflags(write=False)  # shared by all comparisons, and cached
    sizes = flipped.sum(axis=0)
    return Flips(len(flipped), flipped, 1.0 / sizes, 1.0 / (len(flipped) - sizes), enumerated, unchanging)
