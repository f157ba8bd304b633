"""The paired t interval of many columns at once: `tools.statistics.paired` for one is the same arithmetic."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.statistics.critical import Critical, fixed
from tools.statistics.paired import SMALLEST_SD


class PairedColumns(NamedTuple):
    """Of n paired differences in each of C columns; NaN where a value cannot be estimated."""

    n: int
    mean: NDArray[np.float64]
    """(C,), NaN for n = 0."""
    sd: NDArray[np.float64]
    """(C,), NaN for n < 2, exactly 0 where the differences vary by rounding only."""
    error: NDArray[np.float64]
    """(C,) sd / sqrt(n), NaN where there is no interval: n < 2 or sd = 0."""
    p: NDArray[np.float64]
    """(C,) two-sided, of mean = 0."""

    def limits(self, confidence: float, critical: Critical = fixed) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper limits mean -+ critical * error, (C,) each; NaN where the critical value is infinite."""
        if self.n < 2:
            return self.error, self.error
        factor = critical(self.n, confidence)
        half = (factor if np.isfinite(factor) else np.nan) * self.error
        return self.mean - half, self.mean + half


def paired_columns(differences: NDArray[np.float64]) -> PairedColumns:
    """Of differences (n, C)."""
    from scipy.special import stdtr

    n, columns = differences.shape
    unknown = np.full(columns, np.nan)
    if n < 2:
        return PairedColumns(n, differences[0] if n else unknown, unknown, unknown, unknown)
    # Column by column, so that a column gives the same bits whatever stands beside it.
    stacked = np.ascontiguousarray(differences.T)
    mean, sd = stacked.mean(axis=1), stacked.std(axis=1, ddof=1)
    sd = np.where(sd > SMALLEST_SD, sd, 0.0)
    error = np.where(sd > 0, sd / n**0.5, np.nan)
    return PairedColumns(n, mean, sd, error, 2.0 * np.asarray(stdtr(n - 1, -np.abs(mean) / error)))
