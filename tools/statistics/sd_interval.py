"""The chi-square interval of a standard deviation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.statistics.paired import SMALLEST_SD


class SdInterval(NamedTuple):
    """Each (C,), NaN where sd is 0 or unknown: never an interval of zero width."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def sd_interval(sd: NDArray[np.float64], df: int, confidence: float = 0.95) -> SdInterval:
    """Limits of SDs (C,) estimated on df degrees of freedom, assuming normal values: s sqrt(df / chi2)."""
    from scipy.special import chdtri

    if df < 1:
        return SdInterval(np.full(len(sd), np.nan), np.full(len(sd), np.nan))
    known = np.where(sd > SMALLEST_SD, sd, np.nan)
    tail = (1.0 - confidence) / 2.0
    return SdInterval(
        known * np.sqrt(df / float(chdtri(df, tail))), known * np.sqrt(df / float(chdtri(df, 1.0 - tail)))
    )
