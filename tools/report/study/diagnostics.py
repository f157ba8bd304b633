"""Paired differences outside the verdict: per benchmark and per outcome, each with its unadjusted interval."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tools.evaluation.material import Outcome, ReportMaterial
from tools.scores.table import ScoreRow
from tools.statistics.paired import PairedInterval, paired_t
from tools.statistics.verdict_model import Comparison


class Diagnostic(NamedTuple):
    """One quantity in both arms of a comparison, over the seeds that have it in both arms."""

    name: str
    group: str
    """Domain of a benchmark, unit of an outcome."""
    questions: int | None
    treatment_mean: float | None
    control_mean: float | None
    difference: PairedInterval
    """Treatment - control at the plan's confidence."""


def benchmark_diagnostics(material: ReportMaterial, comparison: Comparison) -> tuple[Diagnostic, ...]:
    """Returns one row per planned benchmark, in plan order; none for invalid data."""
    if comparison.verdict == "invalid_data":
        return ()
    cells: dict[tuple[str, str], dict[str, ScoreRow]] = {}
    for row in material.scores:
        cells.setdefault((row.arm, row.benchmark), {}).setdefault(str(row.seed), row)
    rows = []
    for benchmark in material.plan.benchmarks:
        ours = cells.get((comparison.treatment, benchmark.id), {})
        theirs = cells.get((comparison.control, benchmark.id), {})
        if ours or theirs:
            pair = _pair(_scores(ours), _scores(theirs), material.plan.analysis.confidence)
            rows.append(Diagnostic(benchmark.id, benchmark.domain, benchmark.questions, *pair))
    return tuple(rows)


def outcome_diagnostics(material: ReportMaterial, comparison: Comparison) -> tuple[tuple[Outcome, Diagnostic], ...]:
    """Returns one row per outcome that has a value in either arm; none for invalid data."""
    if comparison.verdict == "invalid_data":
        return ()
    rows = []
    for outcome in material.outcomes:
        ours = outcome.values.get(comparison.treatment, {})
        theirs = outcome.values.get(comparison.control, {})
        if ours or theirs:
            pair = _pair(ours, theirs, material.plan.analysis.confidence)
            rows.append((outcome, Diagnostic(outcome.name, outcome.unit, None, *pair)))
    return tuple(rows)


def _scores(rows: Mapping[str, ScoreRow]) -> dict[str, float]:
    return {seed: row.score for seed, row in rows.items()}


def _pair(
    ours: Mapping[str, float], theirs: Mapping[str, float], confidence: float
) -> tuple[float | None, float | None, PairedInterval]:
    both = [seed for seed in ours if seed in theirs]
    differences = [ours[seed] - theirs[seed] for seed in both]
    return (
        _mean([ours[seed] for seed in both]),
        _mean([theirs[seed] for seed in both]),
        paired_t(differences, confidence),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
