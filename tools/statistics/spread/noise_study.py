"""A/A studies: an arm against itself, to estimate the differences between runs that differ only by chance. No verdict.

Each comparison pairs two runs of a seed that differ only in their replicate (or, unmatched, in their seed). Several
comparisons are pooled: sums of squares around each comparison's own mean, divided by the sum of their n - 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, critical_t, known, sd_interval, varies


class NoiseSpread(StrictModel):
    """The spread of paired differences on one summary or benchmark, score points."""

    sd: float | None
    """None if no comparison has two pairs; 0 if runs are identical."""
    low_sd: float | None
    high_sd: float | None
    """95 % chi-square limits; None for sd = 0."""
    intervals: int
    """Number of comparisons that give an interval."""
    excluding: int
    """Number of comparisons whose unadjusted interval excludes zero."""


class NoiseStudy(StrictModel):
    """The results of an A/A study."""

    matched: bool
    """Whether pairs have equal seeds and different replicates; otherwise they have different seeds."""
    confidence: float
    pairs: dict[str, int]
    """Comparison -> its n."""
    df: int
    """Degrees of freedom of every SD: the sum of n - 1."""
    summaries: dict[str, NoiseSpread]
    benchmarks: dict[str, NoiseSpread]


def noise_study(
    comparisons: Mapping[str, PairedScores], chosen: SummaryMatrix, confidence: float, *, matched: bool = True
) -> NoiseStudy:
    """Estimates the spread of an A/A study, pooled over its comparisons.

    comparisons: label -> scores on `chosen.benchmarks` of two replicates of one arm; no run is in two of them.
    """
    blocks = [one.treatment - one.control for one in comparisons.values()]
    df = sum(max(0, len(block) - 1) for block in blocks)
    return NoiseStudy(
        matched=matched,
        confidence=confidence,
        pairs={label: len(one.seeds) for label, one in comparisons.items()},
        df=df,
        summaries=_spreads(chosen.summaries, [block @ chosen.weights for block in blocks], df, confidence),
        benchmarks=_spreads(chosen.benchmarks, blocks, df, confidence),
    )


def _spreads(
    names: Sequence[str], blocks: Sequence[NDArray[np.float64]], df: int, confidence: float
) -> dict[str, NoiseSpread]:
    """blocks: (n, C) differences of each comparison."""
    squares = np.zeros(len(names))
    intervals, excluding = np.zeros(len(names), dtype=np.int64), np.zeros(len(names), dtype=np.int64)
    for block in blocks:
        n = len(block)
        if n < 2:
            continue
        squares += ((block - block.mean(axis=0)) ** 2).sum(axis=0)
        estimable = varies(block)
        half = critical_t(n - 1, confidence) * block.std(axis=0, ddof=1) / n**0.5
        intervals += estimable
        excluding += estimable & (np.abs(block.mean(axis=0)) > half)
    sd = np.sqrt(squares / df) if df else np.full(len(names), np.nan)
    sd = np.where(sd <= SMALLEST_SD, 0.0, sd)
    limits = sd_interval(sd, df)
    rows = zip(known(sd), known(limits.low), known(limits.high), intervals.tolist(), excluding.tolist(), strict=True)
    return {
        name: NoiseSpread(sd=spread, low_sd=low, high_sd=high, intervals=count, excluding=out)
        for name, (spread, low, high, count, out) in zip(names, rows, strict=True)
    }
