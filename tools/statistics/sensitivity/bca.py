"""The BCa bootstrap interval of the mean paired difference, for 8 or more pairs: a check beside the verdict's interval.

Bias-corrected and accelerated (Efron 1987), over whole pairs. It assumes that the observed pairs represent the shape of
the distribution; few pairs cannot, so it is narrower than it should be: `bca_coverage.yaml` has measurements.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.statistics.paired import known, varies

FEWEST_PAIRS = 8
RESAMPLES = 9_999


class Bca(StrictModel):
    """The BCa interval of the mean of n paired differences under one summary, score points."""

    n: int
    confidence: float
    low: float | None
    high: float | None
    """None for n < 8 and for differences that do not vary."""
    resamples: int


def resamples_for(n: int, rng: np.random.Generator, count: int = RESAMPLES) -> NDArray[np.float64]:
    """Returns (n, count) shares: column r is how often resample r draws each pair, / n; compute it once for each n."""
    return np.ascontiguousarray(rng.multinomial(n, np.full(n, 1.0 / n), count).T / n)


def bca(
    differences: NDArray[np.float64], summaries: Sequence[str], confidence: float, resamples: NDArray[np.float64] | None
) -> dict[str, Bca]:
    """Returns one result per summary from (n, S) differences; `resamples` are those of n pairs (None if n < 8)."""
    n = len(differences)
    limits = np.full((2, differences.shape[1]), np.nan)
    count = 0
    if resamples is not None and n >= FEWEST_PAIRS:
        count = resamples.shape[1]
        estimable = varies(differences)
        limits[:, estimable] = bca_limits(differences[:, estimable], confidence, resamples)
    return {
        summary: Bca(n=n, confidence=confidence, low=low, high=high, resamples=count)
        for summary, low, high in zip(summaries, known(limits[0]), known(limits[1]), strict=True)
    }


def bca_limits(
    differences: NDArray[np.float64], confidence: float, resamples: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns lower and upper limits, (C,) each, of (n, C) differences that vary; resamples (n, R): `resamples_for`."""
    from scipy.special import ndtr, ndtri

    mean = differences.mean(axis=0)
    centred = (differences - mean).T
    means = np.sort(centred @ resamples, axis=1)
    tie = 1e-12 * np.abs(centred).max(axis=1, keepdims=True)
    below = (means < -tie).sum(axis=1) + (means <= tie).sum(axis=1)
    bias = ndtri(below / (2.0 * means.shape[1]))
    # The jackknife of a mean: leaving pair i out changes it by (mean - d_i) / (n - 1).
    acceleration = (centred**3).sum(axis=1) / (6.0 * (centred**2).sum(axis=1) ** 1.5)
    limits = []
    for tail in ((1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0):
        shifted = bias + ndtri(tail)
        limits.append(mean + _quantile(means, ndtr(bias + shifted / (1.0 - acceleration * shifted))))
    return limits[0], limits[1]


def _quantile(ordered: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quantile of each row of (C, R) ordered values at its own share, by linear interpolation."""
    at = share * (ordered.shape[1] - 1)
    left = np.minimum(at.astype(np.int64), ordered.shape[1] - 2)
    rows = np.arange(len(ordered))
    lower, upper = ordered[rows, left], ordered[rows, left + 1]
    return np.asarray(lower + (upper - lower) * (at - left))


_FILE = "bca_coverage.yaml"


class Coverage(StrictModel):
    """The coverage at one n and level: shape of the differences -> share of intervals that contain the truth."""

    n: int
    confidence: float
    bca: dict[str, float]
    paired_t: dict[str, float]


class BcaCoverage(StrictModel):
    """The shipped coverage measurements."""

    studies: int
    """Number of simulated studies behind each share."""
    resamples: int
    cells: tuple[Coverage, ...]

    @property
    def standard_error(self) -> float:
        """Monte-Carlo error of a share near 90 %."""
        return float((0.9 * 0.1 / self.studies) ** 0.5)

    def nearest(self, n: int, confidence: float) -> Coverage:
        """Returns the cell of the largest measured n up to `n` (else the smallest), at the nearest error level."""
        fitting = [one.n for one in self.cells if one.n <= n]
        at = max(fitting) if fitting else min(one.n for one in self.cells)
        rows = [one for one in self.cells if one.n == at]
        return min(rows, key=lambda one: abs(np.log((1.0 - one.confidence) / (1.0 - confidence))))


@cache
def measured() -> BcaCoverage:
    """Returns the measurements in `bca_coverage.yaml`."""
    import yaml

    return BcaCoverage.model_validate(yaml.safe_load(resources.files(__package__).joinpath(_FILE).read_text("utf-8")))
