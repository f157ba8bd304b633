"""The verdict of paired differences under other circumstances: many variants of one comparison at once."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def rejudge(differences: NDArray[np.floating[Any]], analysis: Analysis, summaries: Sequence[str]) -> list[Rejudged]:
    """Verdicts of R variants with differences (R, n, S) under these S summaries of the analysis.

    A variant is not estimable where n < 2, where S = 0, or where the differences under a summary do not vary.
    """
    variants, n, size = differences.shape
    if n < 2 or size == 0 or variants == 0:
        return [UNREADABLE] * variants
    sd = differences.std(axis=1, ddof=1)
    means, errors = differences.mean(axis=1), sd / n**0.5
    made = decide(means, errors, n, analysis.confidence, analysis.family_size, analysis.sesois(summaries))
    readable = (sd > SMALLEST_SD).all(axis=1)
    return [
        _named(int(code), int(direction), bool(negligible)) if read else UNREADABLE
        for code, direction, negligible, read in zip(made.code, made.direction, made.negligible, readable, strict=True)
    ]


def _named(code: int, sign: int, negligible: bool) -> Rejudged:
    direction: Direction | None = None if sign == 0 else "better" if sign > 0 else "worse"
    return Rejudged(DECISIONS[code], direction, negligible)
