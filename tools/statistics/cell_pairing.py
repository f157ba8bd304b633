"""What pairing by seed cuts off the variance, from all arms of one cell together: steadier than from two of them.

The additive model score = arm + seed + residual has mean squares MSS of seeds and MSE of residuals. Pairing leaves the
residual variance, independent arms would keep that of the seeds too, so the share left is
MSE / (MSE + (MSS - MSE) / A) = A / (A + F - 1) with F = MSS / MSE. F over its true value follows the F distribution
with (n - 1, (A - 1)(n - 1)) degrees of freedom if residuals are normal and spread alike in all arms. Of two arms this
is `tools.statistics.pairing`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.statistics.paired import SMALLEST_SD, known


class CellPairing(StrictModel):
    """Of one summary; None for fewer than two arms or seeds, and where residuals do not vary."""

    arms: int
    n: int
    """Seeds complete in all of these arms."""
    variance_cut: float | None
    """Share of the variance of a difference that pairing removes; below 0 where it adds some."""
    low_variance_cut: float | None
    high_variance_cut: float | None
    """95 % limits."""


def cell_pairing(
    scores: NDArray[np.float64], summaries: Sequence[str], coverage: float = 0.95
) -> dict[str, CellPairing]:
    """One result a summary, of (A, n, S) summary scores, complete."""
    from scipy.special import fdtri

    arms, n, count = scores.shape
    cut = np.full((3, count), np.nan)
    if arms > 1 and n > 1:
        of_seeds = scores.mean(axis=0)
        residuals = scores - scores.mean(axis=1, keepdims=True) - of_seeds + scores.mean(axis=(0, 1))
        df = (n - 1), (arms - 1) * (n - 1)
        error = (residuals**2).sum(axis=(0, 1)) / df[1]
        error = np.where(error > SMALLEST_SD**2, error, np.nan)
        ratio = arms * of_seeds.var(axis=0, ddof=1) / error
        tail = (1.0 - coverage) / 2.0
        factors = np.array([1.0, 1.0 / float(fdtri(*df, 1.0 - tail)), 1.0 / float(fdtri(*df, tail))])
        cut = 1.0 - arms / (arms - 1.0 + ratio * factors[:, None])
    return {
        summary: CellPairing(arms=arms, n=n, variance_cut=middle, low_variance_cut=low, high_variance_cut=high)
        for summary, middle, low, high in zip(summaries, *map(known, cut), strict=True)
    }
