"""The paired t interval: the seed is the unit, with one difference per seed."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

SMALLEST_SD = 1e-9
"""Score points; differences that vary by less are equal up to rounding, and give no interval."""


class PairedInterval(NamedTuple):
    """The interval of the mean of n paired differences; None for what cannot be estimated."""

    n: int
    mean: float | None
    """None for n = 0."""
    sd: float | None
    """Sample SD with n - 1 in the denominator; None for n < 2."""
    low: float | None
    high: float | None
    """None for n < 2 and for sd = 0: neither gives a zero-width interval."""
    p: float | None
    """Two-sided p of mean = 0."""


def critical_t(df: float, confidence: float) -> float:
    """Returns the two-sided critical value of Student's t at confidence 1 - alpha."""
    from scipy.special import stdtrit

    return -float(stdtrit(df, (1.0 - confidence) / 2.0))


def paired_t(differences: ArrayLike, confidence: float) -> PairedInterval:
    """Returns the mean of differences (n,) with the interval mean +- t(n - 1) sd / sqrt(n)."""
    from scipy.special import stdtr

    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    if n < 2:
        return PairedInterval(n, float(values[0]) if n else None, None, None, None, None)
    mean, sd = float(values.mean()), standard_deviation(values)
    if sd == 0.0:
        return PairedInterval(n, mean, 0.0, None, None, None)
    error = sd / n**0.5
    half = critical_t(n - 1, confidence) * error
    return PairedInterval(n, mean, sd, mean - half, mean + half, 2.0 * float(stdtr(n - 1, -abs(mean) / error)))


def standard_deviation(values: NDArray[np.floating[Any]]) -> float:
    """Returns the sample SD of (n,), n >= 2; exactly 0 if the values differ only by rounding."""
    sd = float(values.std(ddof=1))
    return sd if sd > SMALLEST_SD else 0.0


def varies(values: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Returns (C,) whether columns of (n, C) give an interval: n >= 2 values that differ by more than rounding."""
    if len(values) < 2:
        return np.zeros(values.shape[1], dtype=np.bool_)
    return np.asarray(values.std(axis=0, ddof=1) > SMALLEST_SD)


def known(values: NDArray[np.floating[Any]]) -> list[float | None]:
    """Returns (C,) values as a list, with None for NaN as stored results mark what could not be estimated."""
    return [None if value != value else value for value in values.tolist()]


Critical = Callable[[int, float], float]
"""(pairs n >= 2, confidence 1 - alpha) -> two-sided critical value of mean / standard error; infinite: no interval."""


def fixed(n: int, confidence: float) -> float:
    """Returns the critical value of Student's t with n - 1 degrees of freedom, for n pairs that were planned."""
    return critical_t(n - 1, confidence)


class PairedColumns(NamedTuple):
    """Statistics of n paired differences in each of C columns; NaN for what cannot be estimated."""

    n: int
    mean: NDArray[np.float64]
    """(C,), NaN for n = 0."""
    sd: NDArray[np.float64]
    """(C,), NaN for n < 2, exactly 0 if the differences vary only by rounding."""
    error: NDArray[np.float64]
    """(C,) sd / sqrt(n), NaN without an interval: n < 2 or sd = 0."""
    p: NDArray[np.float64]
    """(C,) two-sided p of mean = 0."""

    def limits(self, confidence: float, critical: Critical = fixed) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the limits mean -+ critical * error, (C,) each; NaN if the critical value is infinite."""
        if self.n < 2:
            return self.error, self.error
        factor = critical(self.n, confidence)
        half = (factor if np.isfinite(factor) else np.nan) * self.error
        return self.mean - half, self.mean + half


def paired_columns(differences: NDArray[np.float64]) -> PairedColumns:
    """Returns the statistics of differences (n, C), column by column."""
    from scipy.special import stdtr

    n, columns = differences.shape
    unknown = np.full(columns, np.nan)
    if n < 2:
        return PairedColumns(n, differences[0] if n else unknown, unknown, unknown, unknown)
    # Column by column, so that a column gives the same bits whatever the other columns are.
    stacked = np.ascontiguousarray(differences.T)
    mean, sd = stacked.mean(axis=1), stacked.std(axis=1, ddof=1)
    sd = np.where(sd > SMALLEST_SD, sd, 0.0)
    error = np.where(sd > 0, sd / n**0.5, np.nan)
    return PairedColumns(n, mean, sd, error, 2.0 * np.asarray(stdtr(n - 1, -np.abs(mean) / error)))


class SdInterval(NamedTuple):
    """Limits of SDs, each (C,); NaN if the SD is 0 or unknown: never an interval of zero width."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def sd_interval(sd: NDArray[np.float64], df: int, confidence: float = 0.95) -> SdInterval:
    """Returns limits of SDs (C,) estimated on df degrees of freedom, assuming normal values: s sqrt(df / chi2)."""
    from scipy.special import chdtri

    if df < 1:
        return SdInterval(np.full(len(sd), np.nan), np.full(len(sd), np.nan))
    known = np.where(sd > SMALLEST_SD, sd, np.nan)
    tail = (1.0 - confidence) / 2.0
    return SdInterval(
        known * np.sqrt(df / float(chdtri(df, tail))), known * np.sqrt(df / float(chdtri(df, 1.0 - tail)))
    )
