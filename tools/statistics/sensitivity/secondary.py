"""Two secondary measures from Agarwal et al. (2021): interquartile mean and probability of improvement.

Point values are those of google-research/rliable. Intervals are not: its stratified bootstrap resamples each arm and
benchmark separately, which breaks the pairing, and has little to draw from at three seeds. Here whole seeds are left
out in turn, in both arms and on all benchmarks at once, and the jackknife standard error is used with t(n - 1) (Tukey
1958): for a plain mean this is exactly the paired t interval.
"""

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, critical_t

TRIMMED = 0.25


class Secondary(StrictModel):
    """The secondary measures of one comparison, at an unadjusted confidence; None if they cannot be estimated."""

    n: int
    benchmarks: int
    confidence: float
    iqm_treatment: float | None
    iqm_control: float | None
    """Mean of the middle half of all seeds x benchmarks scores of an arm, score points."""
    low_iqm: float | None
    high_iqm: float | None
    """Limits of iqm_treatment - iqm_control; None for n < 2 and if leaving a seed out changes nothing."""
    improvement: float | None
    """P(a treatment run scores above a control run) + P(a tie) / 2, mean over benchmarks."""
    low_improvement: float | None
    high_improvement: float | None

    @property
    def iqm_difference(self) -> float | None:
        """Treatment - control, score points."""
        if self.iqm_treatment is None or self.iqm_control is None:
            return None
        return self.iqm_treatment - self.iqm_control


def secondary(pairs: PairedScores, confidence: float) -> Secondary:
    """Returns the secondary measures of scores (n, B) on the same benchmarks in both arms."""
    n, benchmarks = pairs.treatment.shape
    if not n or not benchmarks:
        return Secondary(
            n=n, benchmarks=benchmarks, confidence=confidence, iqm_treatment=None, iqm_control=None, low_iqm=None,
            high_iqm=None, improvement=None, low_improvement=None, high_improvement=None,
        )  # fmt: skip
    means = [iqm(arm.ravel()[None, :])[0] for arm in (pairs.treatment, pairs.control)]
    won = _wins(pairs)
    low_iqm, high_iqm = _jackknife(means[0] - means[1], _iqm_without_each(pairs), confidence)
    low, high = _jackknife(float(won.mean()), _improvement_without_each(won), confidence)
    return Secondary(
        n=n,
        benchmarks=benchmarks,
        confidence=confidence,
        iqm_treatment=float(means[0]),
        iqm_control=float(means[1]),
        low_iqm=low_iqm,
        high_iqm=high_iqm,
        improvement=float(won.mean()),
        low_improvement=None if low is None else max(0.0, low),
        high_improvement=None if high is None else min(1.0, high),
    )


def iqm(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns (R,) interquartile means of the rows of (R, N); N / 4, rounded down, is cut from each end."""
    count = scores.shape[1]
    cut = int(TRIMMED * count)
    return np.asarray(np.sort(scores, axis=1)[:, cut : count - cut].mean(axis=1))


def _wins(pairs: PairedScores) -> NDArray[np.float64]:
    """(n, n) share of benchmarks on which treatment run i beats control run j; a tie counts half."""
    ours, theirs = pairs.treatment[:, None, :], pairs.control[None, :, :]
    return np.asarray(((ours > theirs).mean(axis=2) + (ours >= theirs).mean(axis=2)) / 2.0)


def _iqm_without_each(pairs: PairedScores) -> NDArray[np.float64]:
    n = len(pairs.seeds)
    if n < 2:
        return np.zeros(0)
    kept = np.nonzero(~np.eye(n, dtype=np.bool_))[1].reshape(n, n - 1)
    return iqm(pairs.treatment[kept].reshape(n, -1)) - iqm(pairs.control[kept].reshape(n, -1))


def _improvement_without_each(won: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(won)
    if n < 2:
        return np.zeros(0)
    return np.asarray((won.sum() - won.sum(axis=0) - won.sum(axis=1) + np.diag(won)) / (n - 1) ** 2)


def _jackknife(
    value: float, without_each: NDArray[np.float64], confidence: float
) -> tuple[float, float] | tuple[None, None]:
    n = len(without_each)
    if n < 2:
        return None, None
    error = float(without_each.std(ddof=0)) * (n - 1) ** 0.5
    if error <= SMALLEST_SD:
        return None, None
    half = critical_t(n - 1, confidence) * error
    return float(value) - half, float(value) + half
