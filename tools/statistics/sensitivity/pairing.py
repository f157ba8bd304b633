"""The gain or cost of pairing by seed compared with independent arms, for which Welch's interval is reported.

Pairing removes what the two runs of a seed share but halves the degrees of freedom, so it pays only if it reduces the
variance by more than a break-even. The verdict always uses the paired interval, which was fixed beforehand.

The limits of the gain are exact when both arms have the same spread (normal scores): differences d and sums s of the
two runs are then independent, var(s) / var(d) is an F ratio with (n - 1, n - 1) degrees of freedom times its true value
phi, and the paired variance over the unpaired one is 2 / (1 + phi). With unequal spreads, d and s correlate, their
variances agree more closely (Pitman 1939; Morgan 1939), and the limits are too wide, not too narrow.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.statistics.paired import SMALLEST_SD, critical_t, known


class Pairing(StrictModel):
    """The effect of pairing under one summary; None if it cannot be estimated: n < 2, or values that do not vary."""

    n: int
    confidence: float
    """Confidence of Welch's interval and of the paired interval."""
    low_welch: float | None
    high_welch: float | None
    df_welch: float | None
    variance_cut: float | None
    """1 - variance of the differences / sum of the two arms' variances; below 0 if pairing adds variance."""
    break_even: float | None
    """The variance cut above which pairing pays at this n and confidence, for arms of equal spread."""
    net_gain: float | None
    """1 - (paired half-width / Welch half-width)^2."""
    low_net_gain: float | None
    high_net_gain: float | None
    """95 % limits of the true net gain, whatever `confidence` is; see the module docstring."""


class Welch(NamedTuple):
    """Welch's interval for two arms taken as independent; each (S,), NaN if neither arm varies."""

    difference: NDArray[np.float64]
    half_width: NDArray[np.float64]
    df: NDArray[np.float64]


def welch(treatment: NDArray[np.float64], control: NDArray[np.float64], confidence: float) -> Welch:
    """Returns Welch's interval of the difference of means of (n1, S) and (n2, S) scores, n1, n2 >= 2 (Welch 1947)."""
    from scipy.special import stdtrit

    parts = [arm.var(axis=0, ddof=1) / len(arm) for arm in (treatment, control)]
    squared = parts[0] + parts[1]
    squared = np.where(squared > SMALLEST_SD**2, squared, np.nan)
    df = squared**2 / (parts[0] ** 2 / (len(treatment) - 1) + parts[1] ** 2 / (len(control) - 1))
    half = -stdtrit(df, (1.0 - confidence) / 2.0) * np.sqrt(squared)
    return Welch(treatment.mean(axis=0) - control.mean(axis=0), half, df)


def break_even(n: int, confidence: float) -> float | None:
    """Returns the share by which pairing must reduce the variance to pay; None for n < 2.

    It is 58, 31, 18, 11 % at n = 3, 5, 8, 12 and 95 %, from equal half-widths: (1 - cut) t(n - 1)^2 = t(2 n - 2)^2.
    """
    return None if n < 2 else 1.0 - 1.0 / _price(n, confidence)


def pairing(
    treatment: NDArray[np.float64], control: NDArray[np.float64], summaries: Sequence[str], confidence: float
) -> dict[str, Pairing]:
    """Returns one result per summary from the two arms' (n, S) summary scores on the same seeds."""
    n = len(treatment)
    even = break_even(n, confidence)
    nothing = Pairing(
        n=n, confidence=confidence, low_welch=None, high_welch=None, df_welch=None, variance_cut=None, break_even=even,
        net_gain=None, low_net_gain=None, high_net_gain=None,
    )  # fmt: skip
    if n < 2:
        return dict.fromkeys(summaries, nothing)
    apart = welch(treatment, control, confidence)
    of_differences = (treatment - control).var(axis=0, ddof=1)
    independent = treatment.var(axis=0, ddof=1) + control.var(axis=0, ddof=1)
    cut = 1.0 - of_differences / np.where(np.isnan(apart.df), np.nan, independent)
    paired_half = critical_t(n - 1, confidence) * np.sqrt(of_differences / n)
    gain = 1.0 - (paired_half / apart.half_width) ** 2
    low, high = gain_limits(treatment, control, confidence)
    columns = (
        apart.difference - apart.half_width,
        apart.difference + apart.half_width,
        apart.df,
        cut,
        *(np.where(paired_half > SMALLEST_SD, value, np.nan) for value in (gain, low, high)),
    )
    names = ("low_welch", "high_welch", "df_welch", "variance_cut", "net_gain", "low_net_gain", "high_net_gain")
    rows = zip(*map(known, columns), strict=True)
    return {
        summary: nothing.model_copy(update=dict(zip(names, row, strict=True)))
        for summary, row in zip(summaries, rows, strict=True)
    }


def gain_limits(
    treatment: NDArray[np.float64], control: NDArray[np.float64], confidence: float, coverage: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits, each (S,), of 1 - (paired / Welch half-width)^2 in truth, of (n, S) scores, n >= 2."""
    from scipy.special import fdtri

    n = len(treatment)
    of_sums, of_differences = (treatment + control).var(axis=0, ddof=1), (treatment - control).var(axis=0, ddof=1)
    spread = float(fdtri(n - 1, n - 1, (1.0 + coverage) / 2.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = of_sums / of_differences
        ratios = 2.0 / (1.0 + ratio / spread), 2.0 / (1.0 + ratio * spread)
    price = _price(n, confidence)
    return 1.0 - price * ratios[0], 1.0 - price * ratios[1]


def _price(n: int, confidence: float) -> float:
    """(t(n - 1) / t(2 n - 2))^2: the cost of the lost degrees of freedom."""
    return (critical_t(n - 1, confidence) / critical_t(2 * n - 2, confidence)) ** 2
