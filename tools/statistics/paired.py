"""The paired t interval: the seed is the unit, one difference a seed."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

SMALLEST_SD = 1e-9
"""Score points; differences that vary by less are equal but for rounding, and give no interval."""


class PairedInterval(NamedTuple):
    """Of the mean of n paired differences; None where it cannot be estimated."""

    n: int
    mean: float | None
    """None for n = 0."""
    sd: float | None
    """With n - 1 in the denominator; None for n < 2."""
    low: float | None
    high: float | None
    """None for n < 2 and for sd = 0: neither gives a zero-width interval."""
    p: float | None
    """Two-sided, of mean = 0."""


def critical_t(df: float, confidence: float) -> float:
    """Two-sided critical value of Student's t at confidence 1 - alpha."""
    from scipy.special import stdtrit

    return -float(stdtrit(df, (1.0 - confidence) / 2.0))


def paired_t(differences: ArrayLike, confidence: float) -> PairedInterval:
    """Mean difference (n,) with the interval mean +- t(n - 1) sd / sqrt(n)."""
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
    """Sample SD of (n,), n >= 2; exactly 0 when the values differ by rounding only."""
    sd = float(values.std(ddof=1))
    return sd if sd > SMALLEST_SD else 0.0


def varies(values: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """(C,): which columns of (n, C) give an interval, having n >= 2 values that differ by more than rounding."""
    if len(values) < 2:
        return np.zeros(values.shape[1], dtype=np.bool_)
    return np.asarray(values.std(axis=0, ddof=1) > SMALLEST_SD)


def known(values: NDArray[np.floating[Any]]) -> list[float | None]:
    """(C,) values as a list, None for NaN: what a stored result holds where nothing could be estimated."""
    return [None if value != value else value for value in values.tolist()]
