"""Estimates a prior from existing runs: the spread that an arm + seed model does not explain."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.plan.prior import NamedMatrix, Prior
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import ScoreTable

DECIMALS = 6


def estimate_prior(
    tables: ScoreTable | Sequence[ScoreTable],
    summaries: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    source: str,
    arms: Sequence[str] | None = None,
) -> Prior:
    """Estimates SDs, correlation of the summaries and benchmark covariance of a paired difference from real arms.

    In each table (cell) an arm + seed model is fitted to the seeds that are complete in all arms; the residual sums of
    squares and the (arms - 1)(seeds - 1) degrees of freedom are pooled, and SD = sqrt(2 MSE), because a difference of
    two runs of one seed has two residuals. Any effect of the policies is an arm effect, so treatments may be used
    (`arms`: only these). Raises InputError if a cell has fewer than two arms or complete seeds.
    """
    cells = [tables] if isinstance(tables, ScoreTable) else list(tables)
    chosen = SummaryMatrix.of(summaries)
    benchmarks = chosen.benchmarks
    squares, df = np.zeros((len(benchmarks), len(benchmarks))), 0
    for cell in cells:
        residuals, own = _residuals(cell, arms or cell.arms, benchmarks)
        squares, df = squares + residuals.T @ residuals, df + own
    by_benchmark = 2.0 * squares / df
    by_summary = chosen.covariance(by_benchmark)
    sd = np.sqrt(np.diag(by_summary))
    if not (sd > 0).all():
        raise InputError(f"scores of {', '.join(names)} do not vary between seeds, so no SD can be estimated")
    return Prior(
        names=tuple(names),
        source=source,
        df=df,
        sd={name: round(float(value), DECIMALS) for name, value in zip(summaries, sd, strict=True)},
        correlation=_named(tuple(summaries), by_summary / np.outer(sd, sd)),
        benchmark_covariance=_named(benchmarks, by_benchmark),
    )


def _residuals(table: ScoreTable, arms: Sequence[str], benchmarks: Sequence[str]) -> tuple[NDArray[np.float64], int]:
    """(arms x seeds, benchmarks) residuals of the additive model, and their degrees of freedom."""
    blocks = np.array([table.of_arm(arm, benchmarks) for arm in arms])
    complete = ~np.isnan(blocks).any(axis=(0, 2))
    blocks = blocks[:, complete]
    if len(arms) < 2 or blocks.shape[1] < 2:
        raise InputError(
            f"an SD needs at least 2 arms and 2 seeds complete in all of them, not {len(arms)} and {blocks.shape[1]}"
        )
    of_arms, of_seeds = blocks.mean(axis=1, keepdims=True), blocks.mean(axis=0, keepdims=True)
    residuals = blocks - of_arms - of_seeds + blocks.mean(axis=(0, 1))
    return residuals.reshape(-1, len(benchmarks)), (len(arms) - 1) * (blocks.shape[1] - 1)


def _named(names: tuple[str, ...], values: NDArray[np.float64]) -> NamedMatrix:
    return NamedMatrix(names=names, values=tuple(map(tuple, np.round(values, DECIMALS).tolist())))
