"""Benchmark summaries as a matrix: values on the benchmarks in, one column a summary out."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.scores.table import PairedScores


class SummaryMatrix(NamedTuple):
    """Weights of several summaries, over the benchmarks that any of them weighs."""

    summaries: tuple[str, ...]
    benchmarks: tuple[str, ...]
    weights: NDArray[np.float64]
    """(benchmarks, summaries)."""

    @classmethod
    def of(cls, summaries: Mapping[str, Mapping[str, float]]) -> "SummaryMatrix":
        """Of summaries given as name -> weight of each benchmark; both keep their order."""
        benchmarks = tuple(dict.fromkeys(name for weights in summaries.values() for name in weights))
        columns = [[weights.get(name, 0.0) for name in benchmarks] for weights in summaries.values()]
        return cls(tuple(summaries), benchmarks, np.array(columns, dtype=np.float64).T)

    def differences(self, pairs: PairedScores) -> NDArray[np.float64]:
        """(seeds, summaries), treatment - control."""
        return (pairs.treatment - pairs.control) @ self.weights

    def covariance(self, of_benchmarks: NDArray[np.float64]) -> NDArray[np.float64]:
        """(summaries, summaries), from the (benchmarks, benchmarks) one."""
        return np.asarray(self.weights.T @ of_benchmarks @ self.weights)

    def control_means(self, pairs: PairedScores) -> list[float | None]:
        """One a summary; None without pairs."""
        means = (pairs.control @ self.weights).mean(axis=0) if len(pairs.seeds) else [None] * len(self.summaries)
        return [None if mean is None else float(mean) for mean in means]
