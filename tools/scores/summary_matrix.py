"""Benchmark summaries as a matrix: values on the benchmarks in, one column for each summary out."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.scores.table import PairedScores


class SummaryMatrix(NamedTuple):
    """Weights of several summaries over the benchmarks that any of them weighs."""

    summaries: tuple[str, ...]
    benchmarks: tuple[str, ...]
    weights: NDArray[np.float64]
    """Shape (benchmarks, summaries)."""

    @classmethod
    def of(cls, summaries: Mapping[str, Mapping[str, float]]) -> "SummaryMatrix":
        """Builds the matrix from name -> weight of each benchmark; both keep their order."""
        benchmarks = tuple(dict.fromkeys(name for weights in summaries.values() for name in weights))
        columns = [[weights.get(name, 0.0) for name in benchmarks] for weights in summaries.values()]
        return cls(tuple(summaries), benchmarks, np.array(columns, dtype=np.float64).T)

    def differences(self, pairs: PairedScores) -> NDArray[np.float64]:
        """Returns the differences treatment - control, shape (seeds, summaries)."""
        return (pairs.treatment - pairs.control) @ self.weights

    def covariance(self, of_benchmarks: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the (summaries, summaries) covariance from the (benchmarks, benchmarks) one."""
        return np.asarray(self.weights.T @ of_benchmarks @ self.weights)

    def control_means(self, pairs: PairedScores) -> list[float | None]:
        """Returns the control's mean under each summary; None without pairs."""
        means = (pairs.control @ self.weights).mean(axis=0) if len(pairs.seeds) else [None] * len(self.summaries)
        return [None if mean is None else float(mean) for mean in means]
