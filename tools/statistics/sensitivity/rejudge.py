"""Judges many variants of one comparison's paired differences at once."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.plan.analysis import Analysis
from tools.scores.table import ScoreTable
from tools.statistics.decision import DECISIONS, Decision, decide
from tools.statistics.levels import family_confidence
from tools.statistics.lost_pairs import at_worst
from tools.statistics.paired import SMALLEST_SD, Critical, fixed
from tools.statistics.verdict_model import Comparison, OverallVerdict

Direction = Literal["better", "worse"]


class Rejudged(NamedTuple):
    """The verdict on one variant."""

    verdict: OverallVerdict
    direction: Direction | None
    negligible: bool


UNREADABLE = Rejudged("not_estimable", None, False)
_WITHHELD = Rejudged("negative_inconclusive", None, False)


class Lost(NamedTuple):
    """Differences of lost pairs, each missing score at its worst for the claim; (L, columns) or (R, L, columns)."""

    better: NDArray[np.float64]
    """Worst for the claim "better"."""
    worse: NDArray[np.float64]

    @classmethod
    def of(cls, table: ScoreTable, comparison: Comparison, benchmarks: Sequence[str]) -> "Lost | None":
        """Those of one comparison on these benchmarks; None where no pair was lost."""
        if not comparison.lost_seeds:
            return None
        arms = (comparison.treatment, comparison.control)
        filled = (at_worst(table, *arms, benchmarks, comparison.lost_seeds, better) for better in (True, False))
        return cls(*(pairs.treatment - pairs.control for pairs in filled))

    @property
    def pairs(self) -> int:
        """L, how many were lost."""
        return int(self.better.shape[-2])

    def weighed(self, weights: NDArray[np.float64]) -> "Lost":
        """Under summaries with these weights, (B, S) or (R, B, S)."""
        return Lost(self.better @ weights, self.worse @ weights)


def rejudge(
    differences: NDArray[np.floating[Any]],
    analysis: Analysis,
    summaries: Sequence[str],
    critical: Critical = fixed,
    lost: Lost | None = None,
    of: int | None = None,
) -> list[Rejudged]:
    """Returns the verdicts on R variants with differences (R, n, S) under these S summaries of the analysis.

    A variant is not estimable where n < 2, where S = 0, where the differences under a summary do not vary, or where the
    critical value is infinite. critical: as for the verdict, which has `of` pairs (default: n); held there where a
    variant has fewer. lost: under the same summaries; as in the verdict, a variant is supported only if it is so with
    them.
    """
    variants, n, size = differences.shape
    of = of or n
    bound = held_at(critical, of)
    level = family_confidence(analysis.confidence, analysis.family_size)
    if n < 2 or size == 0 or variants == 0 or not np.isfinite(bound(n, level)):
        return [UNREADABLE] * variants
    sd = differences.std(axis=1, ddof=1)
    made = _decided(differences, analysis, summaries, bound)
    stands = np.ones(variants, dtype=np.bool_)
    if lost is not None:
        filled = held_at(critical, of + lost.pairs)
        for claimed, worst in ((1, lost.better), (-1, lost.worse)):
            rows = np.broadcast_to(worst, (variants, *worst.shape[-2:]))
            still = _decided(np.concatenate([differences, rows], axis=1), analysis, summaries, filled)
            stands &= (made.direction != claimed) | (still.direction == claimed)
    readable = (sd > SMALLEST_SD).all(axis=1)
    return [
        (_named(int(code), int(direction), bool(negligible)) if stand else _WITHHELD) if read else UNREADABLE
        for code, direction, negligible, stand, read in zip(*made, stands, readable, strict=True)
    ]


def _decided(
    differences: NDArray[np.floating[Any]], analysis: Analysis, summaries: Sequence[str], critical: Critical
) -> Decision:
    """Of (R, n, S); "some summary" is corrected over all summaries of the analysis, also where some are left out."""
    n = differences.shape[1]
    errors = differences.std(axis=1, ddof=1) / n**0.5
    with np.errstate(invalid="ignore"):  # 0 * inf: differences that do not vary, where singling out has no bound
        return decide(
            differences.mean(axis=1),
            errors,
            n,
            analysis.confidence,
            analysis.family_size,
            analysis.sesois(summaries),
            critical,
            len(analysis.summaries),
        )


def held_at(critical: Critical, n: int) -> Critical:
    """Returns the critical values for variants of a verdict on n pairs.

    With fewer pairs, a repeated interval keeps the bound of the look at n, and is never narrower than the t interval of
    a fixed plan with those pairs.
    """
    if critical is fixed:
        return fixed
    return lambda m, confidence: (
        critical(m, confidence) if m == n else max(critical(n, confidence), fixed(m, confidence))
    )


def _named(code: int, sign: int, negligible: bool) -> Rejudged:
    direction: Direction | None = None if sign == 0 else "better" if sign > 0 else "worse"
    return Rejudged(DECISIONS[code], direction, negligible)
