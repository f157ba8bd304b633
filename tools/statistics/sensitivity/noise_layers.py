"""Two separate layers of noise: the spread between seeds, to which claims refer, and that of finite benchmarks.

The between-seed SD is that of the paired differences and includes everything that changes from seed to seed. Reported
beside it is the possible contribution of sampling answers to a benchmark's Q questions: at most the binomial
sqrt(p (1 - p) / Q) of each run, because both arms answer the same questions, and for fixed questions with probabilities
p_q the variance sum p_q (1 - p_q) / Q^2 is largest if all p_q are equal. It is a diagnostic; no interval uses it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.paired import SMALLEST_SD, known, sd_interval
from training.benchmarks import catalog


class QuestionCount(StrictModel):
    """The number of questions of one benchmark, with its source."""

    questions: int | None
    source: Literal["table", "catalogue", "unknown"]


class NoiseLayer(StrictModel):
    """The noise of one seed's paired difference on one summary or benchmark, score points."""

    kind: Literal["summary", "benchmark"]
    sd: float | None
    """SD between seeds; None for n < 2."""
    low_sd: float | None
    high_sd: float | None
    """95 % chi-square limits, assuming normal differences; None also for sd = 0."""
    binomial_se: float | None
    """Upper bound on the contribution of sampling answers; None if a question count is unknown."""
    questions: int | None
    """None for a summary, and if unknown."""
    source: Literal["table", "catalogue", "unknown"]
    """Source of the question count; for a summary, the least certain source that it needs."""

    @property
    def share(self) -> float | None:
        """Binomial over between-seed variance: at most about this share is due to answers; None if unknown."""
        return None if not self.sd or self.binomial_se is None else (self.binomial_se / self.sd) ** 2


class NoiseLayers(StrictModel):
    """The noise layers of one comparison."""

    n: int
    layers: dict[str, NoiseLayer]
    """Summaries first, then benchmarks; a benchmark with the name of a summary gets the prefix `benchmark `."""


def noise_layers(pairs: PairedScores, chosen: SummaryMatrix, counts: Mapping[str, QuestionCount]) -> NoiseLayers:
    """Estimates both layers; pairs: scores 0..100 on `chosen.benchmarks` in that order; counts: by benchmark."""
    n = len(pairs.seeds)
    of_benchmarks = pairs.treatment - pairs.control
    differences = np.hstack([of_benchmarks @ chosen.weights, of_benchmarks])
    questions = [counts[name].questions for name in chosen.benchmarks]
    variances = _binomial(pairs, questions)
    # Answers to different benchmarks are independent; a weight of 0 needs no count.
    weighed = np.where(chosen.weights > 0, chosen.weights**2 * variances[:, None], 0.0).sum(axis=0)
    errors = np.sqrt(np.concatenate([weighed, variances]))
    sd = differences.std(axis=0, ddof=1) if n > 1 else np.full(differences.shape[1], np.nan)
    sd = np.where(sd <= SMALLEST_SD, 0.0, sd)
    limits = sd_interval(sd, n - 1)
    sources = [counts[name].source for name in chosen.benchmarks]
    of_summary = [_least([sources[at] for at in np.flatnonzero(column > 0)]) for column in chosen.weights.T]
    rows = zip(
        (*(("summary", name) for name in chosen.summaries), *(("benchmark", name) for name in chosen.benchmarks)),
        known(sd),
        known(limits.low),
        known(limits.high),
        known(errors if n else np.full(len(errors), np.nan)),
        (*(None for _ in chosen.summaries), *questions),
        (*of_summary, *sources),
        strict=True,
    )
    layers = {}
    for (kind, name), spread, low, high, error, count, source in rows:
        layers[f"benchmark {name}" if name in layers else name] = NoiseLayer(
            kind=kind, sd=spread, low_sd=low, high_sd=high, binomial_se=error, questions=count, source=source
        )
    return NoiseLayers(n=n, layers=layers)


def _binomial(pairs: PairedScores, questions: Sequence[int | None]) -> NDArray[np.float64]:
    """(B,) variance, in squared points, of a difference of two runs' mean answers; NaN if unknown."""
    counts = np.array([np.nan if count is None else count for count in questions], dtype=np.float64)
    if not len(pairs.seeds):
        return np.full(len(counts), np.nan)
    spread = [(arm * (100.0 - arm)).mean(axis=0) for arm in (pairs.treatment, pairs.control)]
    return np.asarray((spread[0] + spread[1]) / counts)


def _least(sources: Sequence[Literal["table", "catalogue", "unknown"]]) -> Literal["table", "catalogue", "unknown"]:
    if "unknown" in sources:
        return "unknown"
    return "catalogue" if "catalogue" in sources else "table"


def question_counts(table: ScoreTable, arms: Sequence[str], benchmarks: Sequence[str]) -> dict[str, QuestionCount]:
    """Returns benchmark -> the count common to all scores of these arms; if they have none, that of the benchmark in
    the table's suite if it is in the catalogue. Counts that differ are unknown. A name alone is not enough: suites have
    different numbers of questions under one name."""
    suite = table.suites[0] if len(table.suites) == 1 else ""
    listed = {one.id: one.questions for one in catalog.suite(suite)} if suite in catalog.suites() else {}
    rows = [table.arms.index(arm) for arm in arms if arm in table.arms]
    at = {name: column for column, name in enumerate(table.benchmarks)}
    counts = {}
    for name in benchmarks:
        recorded: list[int] = []
        if name in at:
            scored = ~np.isnan(table.scores[rows, :, at[name]])
            recorded = np.unique(table.questions[rows, :, at[name]][scored]).tolist()
        if len(recorded) == 1 and recorded[0] > 0:
            counts[name] = QuestionCount(questions=recorded[0], source="table")
        elif recorded == [-1] and name in listed:
            counts[name] = QuestionCount(questions=listed[name], source="catalogue")
        else:
            counts[name] = QuestionCount(questions=None, source="unknown")
    return counts
