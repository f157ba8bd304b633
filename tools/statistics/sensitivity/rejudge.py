"""The verdict of paired differences under other circumstances: many variants of one comparison at once."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.statistics.critical import Critical, fixed
from tools.statistics.decision import DECISIONS, decide
from tools.statistics.paired import SMALLEST_SD
from tools.statistics.verdict_model import OverallVerdict
from tools.study.plan import Analysis

Direction = Literal["better", "worse"]


class Rejudged(NamedTuple):
    """What one variant says."""

    verdict: OverallVerdict
    direction: Direction | None
    negligible: bool


UNREADABLE = Rejudged("not_estimable", None, False)


def rejudge(
    differences: NDArray[np.floating[Any]], analysis: Analysis, summaries: Sequence[str], critical: Critical = fixed
) -> list[Rejudged]:
    """Verdicts of R variants with differences (R, n, S) under these S summaries of the analysis.

    A variant is not estimable where n < 2, where S = 0, or where the differences under a summary do not vary.
    critical: how far its intervals reach; `held_at` where a variant has fewer pairs than the verdict.
    """
    variants, n, size = differences.shape
    if n < 2 or size == 0 or variants == 0:
        return [UNREADABLE] * variants
    sd = differences.std(axis=1, ddof=1)
    means, errors = differences.mean(axis=1), sd / n**0.5
    sesois = analysis.sesois(summaries)
    made = decide(means, errors, n, analysis.confidence, analysis.family_size, sesois, critical)
    readable = (sd > SMALLEST_SD).all(axis=1)
    return [
        _named(int(code), int(direction), bool(negligible)) if read else UNREADABLE
        for code, direction, negligible, read in zip(made.code, made.direction, made.negligible, readable, strict=True)
    ]


def held_at(critical: Critical, n: int) -> Critical:
    """For variants of a verdict on n pairs: with fewer pairs, a repeated interval keeps the bound of the look at n.

    It is never narrower than the t interval of a fixed plan with those pairs.
    """
    if critical is fixed:
        return fixed
    return lambda m, confidence: (
        critical(m, confidence) if m == n else max(critical(n, confidence), fixed(m, confidence))
    )


def _named(code: int, sign: int, negligible: bool) -> Rejudged:
    direction: Direction | None = None if sign == 0 else "better" if sign > 0 else "worse"
    return Rejudged(DECISIONS[code], direction, negligible)
