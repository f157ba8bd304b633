"""Two layers of noise, kept apart: the spread between seeds, which a claim is about, and that of finite benchmarks.

The between-seed SD is that of the paired differences and holds everything that changes from seed to seed. Beside it
stands what drawing answers to a benchmark's Q questions could contribute: at most the binomial
sqrt(p (1 - p) / Q) of each run, because both arms answer the same questions, and for fixed questions of chances p_q the
variance sum p_q (1 - p_q) / Q^2 is largest when all p_q are alike. It is a diagnostic; no interval here is made of it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, known
from tools.statistics.question_counts import QuestionCount
from tools.statistics.sd_interval import sd_interval
from tools.statistics.summary_matrix import SummaryMatrix


class NoiseLayer(StrictModel):
    """Of one summary or benchmark, score points, of one seed's paired difference."""

    kind: Literal["summary", "benchmark"]
    sd: float | None
    """Between seeds; None for n < 2."""
    low_sd: float | None
    high_sd: float | None
    """95 % chi-square limits, assuming normal differences; None also for sd = 0."""
    binomial_se: float | None
    """Upper bound of what drawing answers contributes; None where a question count is unknown."""
    questions: int | None
    """None for a summary, and where unknown."""
    source: Literal["table", "catalogue", "unknown"]
    """Of the question count; of a summary the least certain one that it needs."""

    @property
    def share(self) -> float | None:
        """Binomial variance over between-seed variance: at most about this share is answers; None where unknown."""
        return None if not self.sd or self.binomial_se is None else (self.binomial_se / self.sd) ** 2


class NoiseLayers(StrictModel):
    """Of one comparison."""

    n: int
    layers: dict[str, NoiseLayer]
    """Summaries first, then benchmarks; a benchmark that is called like a summary is told apart by its kind and gets
    `benchmark ` before its name."""


def noise_layers(pairs: PairedScores, chosen: SummaryMatrix, counts: Mapping[str, QuestionCount]) -> NoiseLayers:
    """pairs: scores on `chosen.benchmarks`, in that order, each 0..100; counts: by benchmark."""
    n = len(pairs.seeds)
    of_benchmarks = pairs.treatment - pairs.control
    differences = np.hstack([of_benchmarks @ chosen.weights, of_benchmarks])
    questions = [counts[name].questions for name in chosen.benchmarks]
    variances = _binomial(pairs, questions)
    # Answers to different benchmarks are drawn independently; a weight of 0 asks for no count.
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
    """(B,) variance, in squared points, of a difference of two runs' mean answers; NaN where unknown."""
    counts = np.array([np.nan if count is None else count for count in questions], dtype=np.float64)
    if not len(pairs.seeds):
        return np.full(len(counts), np.nan)
    spread = [(arm * (100.0 - arm)).mean(axis=0) for arm in (pairs.treatment, pairs.control)]
    return np.asarray((spread[0] + spread[1]) / counts)


def _least(
    sources: Sequence[Literal["table", "catalogue", "unknown"]],
) -> Literal["table", "catalogue", "unknown"]:
    if "unknown" in sources:
        return "unknown"
    return "catalogue" if "catalogue" in sources else "table"
