"""Ways to split n seed pairs in two: a sign flip of the paired differences is a split, and so is its opposite."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_ENUMERATED = 16
"""Pairs up to which all 2^n flips are listed."""
DRAWS = 9_999
"""Random flips beyond; with the flip that changes nothing they make a round 10,000."""


class Flips(NamedTuple):
    """Splits of n pairs into a flipped part and the rest, neither of them empty."""

    n: int
    flipped: NDArray[np.float64]
    """(n, splits): 1 where the pair is flipped, else 0."""
    per_flipped: NDArray[np.float64]
    """(splits,) 1 / pairs flipped."""
    per_rest: NDArray[np.float64]
    """(splits,) 1 / pairs not flipped."""
    enumerated: bool
    """All splits, each standing for two flips; else random ones with replacement."""
    unchanging: int
    """Flips beside these that leave |sum| as it is: flip none, flip all; the data's own flip counts among them."""

    @property
    def total(self) -> int:
        """Flips in all, the denominator of p: 2^n, or draws + 1."""
        return self.unchanging + self.each * int(self.flipped.shape[1])

    @property
    def each(self) -> int:
        """Flips that one split stands for."""
        return 2 if self.enumerated else 1


def flips_for(n: int, rng: np.random.Generator, draws: int = DRAWS) -> Flips:
    """All flips of n >= 1 pairs up to 16, `draws` random ones beyond; make them once for all comparisons of n pairs."""
    return _enumerated(n) if n <= MOST_ENUMERATED else _drawn(n, rng, draws)


@lru_cache(maxsize=MOST_ENUMERATED)
def _enumerated(n: int) -> Flips:
    codes = np.arange(1, 2 ** (n - 1))
    # The last pair is never flipped: the splits that flip it are the opposites of those that do not.
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
