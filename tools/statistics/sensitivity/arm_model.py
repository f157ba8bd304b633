"""Models the scores of one table's arms as arm + seed + noise, under all summaries at once."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import ScoreTable
from tools.statistics.paired import SMALLEST_SD

_SWEEPS = 200
_SETTLED = 1e-10
"""Score points."""


class ArmModel(NamedTuple):
    """A least-squares fit over the runs that have every benchmark; A arms with such a run, S summaries."""

    arms: tuple[str, ...]
    left_out: tuple[str, ...]
    """Arms without a complete run."""
    summaries: tuple[str, ...]
    effects: NDArray[np.float64]
    """(A, S) score points: the arm's mean if every arm has the same seeds, else that mean adjusted for its seeds."""
    runs: NDArray[np.int64]
    """(A,) number of complete runs of each arm."""
    covariance: NDArray[np.float64]
    """(S, S) covariance of the noise of one run; zero without degrees of freedom."""
    df: int

    @property
    def noisy(self) -> NDArray[np.bool_]:
        """(S,) whether runs of one arm differ at all under each summary."""
        return np.asarray(np.diagonal(self.covariance) > SMALLEST_SD**2)


def arm_model(table: ScoreTable, summaries: Mapping[str, Mapping[str, float]]) -> ArmModel:
    """Fits the arms of one table under these summaries (name -> weight of each benchmark)."""
    chosen = SummaryMatrix.of(summaries)
    missing = [name for name in chosen.benchmarks if name not in table.benchmarks]
    shape = (len(table.arms), len(table.seeds), len(chosen.summaries))
    values = np.full(shape, np.nan)
    if not missing:
        values = table.scores[:, :, [table.benchmarks.index(name) for name in chosen.benchmarks]] @ chosen.weights
    complete = ~np.isnan(values).any(axis=2)
    present = complete.any(axis=1)
    values, complete = values[present][:, complete.any(axis=0)], complete[present][:, complete.any(axis=0)]
    effects, residuals = _fit(np.where(complete[:, :, None], values, 0.0), complete)
    df = int(complete.sum()) - _parameters(complete)
    return ArmModel(
        arms=tuple(arm for arm, keep in zip(table.arms, present, strict=True) if keep),
        left_out=tuple(arm for arm, keep in zip(table.arms, present, strict=True) if not keep),
        summaries=chosen.summaries,
        effects=effects,
        runs=np.asarray(complete.sum(axis=1), dtype=np.int64),
        covariance=np.einsum("ans,ant->st", residuals, residuals) / df if df > 0 else np.zeros((shape[2], shape[2])),
        df=df,
    )


def _fit(values: NDArray[np.float64], complete: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Arm effects (A, S) and residuals (A, N, S), zero without a run, by alternating averages.

    A balanced table converges at once, with its means as arm effects.
    """
    if not len(values):
        return values.sum(axis=1), values
    weights = complete[:, :, None].astype(np.float64)
    a_arm, a_seed = weights.sum(axis=1), weights.sum(axis=0)
    seeds = np.zeros((values.shape[1], values.shape[2]))
    arms = values.sum(axis=1) / a_arm
    for _ in range(_SWEEPS):
        seeds = ((values - arms[:, None, :]) * weights).sum(axis=0) / a_seed
        seeds -= seeds.mean(axis=0)
        moved = ((values - seeds[None]) * weights).sum(axis=1) / a_arm
        settled = np.abs(moved - arms).max(initial=0.0) < _SETTLED
        arms = moved
        if settled:
            break
    return arms, (values - arms[:, None, :] - seeds[None]) * weights


def _parameters(complete: NDArray[np.bool_]) -> int:
    """Rank of arm + seed: arms plus seeds minus the number of connected groups of them."""
    arms, seeds = complete.shape
    group = np.arange(arms)
    for seed in range(seeds):
        linked = np.unique(group[complete[:, seed]])
        if len(linked) > 1:
            group[np.isin(group, linked)] = linked[0]
    return int(arms + seeds - len(np.unique(group)))
