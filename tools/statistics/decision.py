"""The rule from intervals to verdict; the same code judges one study or an array of simulated studies."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tools.statistics.levels import family_confidence
from tools.statistics.paired import Critical, fixed
from tools.statistics.verdict_model import OverallVerdict, SummaryReading

DECISIONS: tuple[OverallVerdict, ...] = (
    "supported", "depends_on_summary", "negative_equivalent", "negative_inconclusive",
)  # fmt: skip
"""Verdicts in order of precedence; `Decision.code` is an index into it."""


class Decision(NamedTuple):
    """The decisions on studies of any array shape (...)."""

    code: NDArray[np.int64]
    """Index into `DECISIONS`."""
    direction: NDArray[np.int64]
    """+1 or -1 if supported, else 0."""
    negligible: NDArray[np.bool_]
    """Whether the claim is supported although every interval is inside +- SESOI."""


def decide(
    means: NDArray[np.floating[Any]],
    errors: NDArray[np.floating[Any]],
    n: int,
    confidence: float,
    family_size: int,
    sesoi: ArrayLike,
    critical: Critical = fixed,
    out_of: int | None = None,
) -> Decision:
    """Judges studies that are valid, delivered and estimable.

    means, errors: (..., S) mean difference and its standard error sd / sqrt(n) > 0 under each of S summaries, n >= 2
    pairs; sesoi: a number or (S,); critical: that of the repeated intervals where the plan is sequential; out_of: how
    many summaries the verdict has, where these are only some of them. "Under every summary" is an intersection-union
    test, each interval at the family level. "Under some summary" is corrected over the summaries of the verdict too
    (1 - alpha / (k S)), or is shown by two family intervals that exclude zero with opposite signs.
    """
    summaries = means.shape[-1]
    family = family_confidence(confidence, family_size)
    half = critical(n, family) * errors
    strict = critical(n, family_confidence(family, out_of or summaries)) * errors
    better, worse = np.asarray(means > half), np.asarray(means < -half)
    inside = np.all(np.abs(means) + half < np.asarray(sesoi), axis=-1)
    up, down = np.all(better, axis=-1), np.all(worse, axis=-1)
    some = np.any(np.abs(means) > strict, axis=-1) | (np.any(better, axis=-1) & np.any(worse, axis=-1))
    supported = up | down
    code: NDArray[np.int64] = np.where(supported, 0, np.where(some, 1, np.where(inside, 2, 3)))
    return Decision(code, up.astype(np.int64) - down.astype(np.int64), supported & inside)


def reading(low: float | None, high: float | None, sesoi: float) -> SummaryReading:
    """Returns the reading of one summary's family interval."""
    if low is None or high is None:
        return "not_estimable"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "equivalent" if inside(low, high, sesoi) else "inconclusive"


def inside(low: float | None, high: float | None, sesoi: float) -> bool:
    """Returns whether the interval is inside +- SESOI."""
    return low is not None and high is not None and -sesoi < low and high < sesoi
