"""A/A studies: the same arm against itself, to see how far runs that should not differ do differ. No verdict.

Each comparison pairs two runs of a seed that differ in their replicate only (or, unmatched, in their seed). Several
comparisons are pooled: sums of squares around each comparison's own mean, over the sum of their n - 1.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, critical_t, known, varies
from tools.statistics.sd_interval import sd_interval
from tools.statistics.summary_matrix import SummaryMatrix


class NoiseSpread(StrictModel):
    """Of one summary or benchmark, score points of a paired difference."""

    sd: float | None
    """None where no comparison has two pairs; 0 where runs are identical."""
    low_sd: float | None
    high_sd: float | None
    """95 % chi-square limits; None for sd = 0."""
    intervals: int
    """Comparisons that give an interval."""
    excluding: int
    """Those whose unadjusted interval excludes zero."""


class NoiseStudy(StrictModel):
    """What an A/A study found."""

    matched: bool
    """Equal seeds, different replicates; else different seeds."""
    confidence: float
    pairs: dict[str, int]
    """Comparison -> its n."""
    df: int
    """Behind every SD: the sum of n - 1."""
    summaries: dict[str, NoiseSpread]
    benchmarks: dict[str, NoiseSpread]


def noise_study(
    comparisons: Mapping[str, PairedScores], chosen: SummaryMatrix, confidence: float, *, matched: bool = True
) -> NoiseStudy:
    """comparisons: label -> scores on `chosen.benchmarks` of two replicates of one arm; a run in no two of them."""
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
