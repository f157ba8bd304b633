"""Measures a prior from runs that exist: `python -m tools.statistics.estimate_prior NAME ROWS.json [ROWS.json ...]`.

Each file is one cell (one recipe): a JSON list of ScoreRow objects with at least two arms and two seeds. Prints the
entry for priors.yaml.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from policies.errors import AdvisorError, InputError
from tools.scores.summaries import verdict_set
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.priors import NamedMatrix, Prior
from tools.statistics.summary_matrix import SummaryMatrix

DECIMALS = 6


def estimate_prior(
    tables: ScoreTable | Sequence[ScoreTable],
    summaries: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    source: str,
    arms: Sequence[str] | None = None,
) -> Prior:
    """SDs, correlation of the summaries and benchmark covariance of a paired difference, from real arms.

    In each table (cell) an arm + seed model is fitted to the seeds that all its arms have complete; its residual sums
    of squares and its (arms - 1)(seeds - 1) degrees of freedom are pooled, and SD = sqrt(2 MSE), because a difference
    of two runs of one seed holds two residuals. Whatever the policies do is an arm effect, so treatments may be used
    (`arms`: only these). Raises InputError when a cell has fewer than two arms or complete seeds.
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
        raise InputError(f"scores of {', '.join(names)} do not vary between seeds: no SD can be estimated")
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
            f"an SD needs at least 2 arms and 2 seeds complete in all of them: got {len(arms)} and {blocks.shape[1]}"
        )
    of_arms, of_seeds = blocks.mean(axis=1, keepdims=True), blocks.mean(axis=0, keepdims=True)
    residuals = blocks - of_arms - of_seeds + blocks.mean(axis=(0, 1))
    return residuals.reshape(-1, len(benchmarks)), (len(arms) - 1) * (blocks.shape[1] - 1)


def _named(names: tuple[str, ...], values: NDArray[np.float64]) -> NamedMatrix:
    return NamedMatrix(names=names, values=tuple(map(tuple, np.round(values, DECIMALS).tolist())))


def read_rows(path: Path) -> ScoreTable:
    """A JSON list of ScoreRow objects. Raises InputError naming the file."""
    try:
        return ScoreTable.from_rows(ScoreRow.model_validate(item) for item in json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, ValidationError) as fault:
        raise InputError(f"cannot read score rows from {path}: {str(fault).splitlines()[0]}") from fault


def main(arguments: Sequence[str]) -> int:
    """Prints one entry of priors.yaml; returns the exit code."""
    import yaml

    if len(arguments) < 2:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[0]}\n")
        return InputError.exit_code
    try:
        tables = [read_rows(Path(path)) for path in arguments[1:]]
        chosen = verdict_set(tables[0].domains)
        shapes = ", ".join(f"{len(table.arms)} arms x {len(table.seeds)} seeds" for table in tables)
        source = f"sqrt(2*MSE) of arm + seed in {shapes}"
        entry = estimate_prior(tables, chosen, [arguments[0]], source)
    except AdvisorError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
    dumped = yaml.safe_dump([entry.model_dump(mode="json")], sort_keys=False, default_flow_style=None, width=160)
    sys.stdout.write(dumped)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
