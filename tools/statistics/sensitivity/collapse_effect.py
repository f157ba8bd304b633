"""The verdict on one comparison with and without the cells that were flagged as collapsed."""

from collections.abc import Sequence

import numpy as np

from policies.model import StrictModel
from tools.plan.analysis import Analysis
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.levels import family_confidence
from tools.statistics.paired import Critical, fixed, paired_columns
from tools.statistics.sensitivity.collapsed import CellIndex
from tools.statistics.sensitivity.rejudge import Direction, Lost, held_at, rejudge
from tools.statistics.verdict_model import OverallVerdict
from tools.text.numbers import finite


class SummaryReadingOf(StrictModel):
    """The estimate under one summary, with or without the flagged cells."""

    mean: float | None
    low_family: float | None
    high_family: float | None
    """Family interval; None if it cannot be estimated."""


class CollapseSide(StrictModel):
    """What the pairs say, with all cells or without the flagged ones."""

    n: int
    verdict: OverallVerdict
    direction: Direction | None
    summaries: dict[str, SummaryReadingOf]


class CollapseEffect(StrictModel):
    """The effect of flagged cells on one comparison; without its flagged cell a pair is incomplete and left out."""

    family_confidence: float
    flagged: tuple[CellIndex, ...]
    """The flagged cells of the two arms on benchmarks of the verdict set."""
    kept: CollapseSide
    """The verdict with all cells."""
    left: CollapseSide
    """The verdict without the flagged cells."""


def collapse_effect(
    table: ScoreTable,
    cells: Sequence[CellIndex],
    treatment: str,
    control: str,
    analysis: Analysis,
    critical: Critical = fixed,
    lost: Lost | None = None,
) -> CollapseEffect:
    """Judges the two arms twice; cells: positions in the table, critical: as for the verdict.

    lost: on the benchmarks of the verdict set; a claim has to outweigh them on both sides, as in the verdict.
    """
    chosen = SummaryMatrix.of(analysis.summaries)
    arms = {at for at, name in enumerate(table.arms) if name in (treatment, control)}
    touching = tuple(
        cell for cell in cells if cell.arm in arms and table.benchmarks[cell.benchmark] in chosen.benchmarks
    )
    pairs = table.paired(treatment, control, chosen.benchmarks)
    gone = {table.seeds[cell.seed] for cell in touching}
    rest = np.array([seed not in gone for seed in pairs.seeds], dtype=np.bool_)
    left = PairedScores(
        tuple(seed for seed in pairs.seeds if seed not in gone), pairs.treatment[rest], pairs.control[rest]
    )
    weighed = None if lost is None else lost.weighed(chosen.weights)
    level = family_confidence(analysis.confidence, analysis.family_size)
    return CollapseEffect(
        family_confidence=level,
        flagged=touching,
        kept=_side(pairs, chosen, analysis, critical, weighed, len(pairs.seeds)),
        left=_side(left, chosen, analysis, critical, weighed, len(pairs.seeds)),
    )


def _side(
    pairs: PairedScores, chosen: SummaryMatrix, analysis: Analysis, critical: Critical, lost: Lost | None, of: int
) -> CollapseSide:
    """of: pairs of the verdict."""
    differences = chosen.differences(pairs)
    judged = rejudge(differences[None], analysis, chosen.summaries, critical, lost, of)[0]
    level = family_confidence(analysis.confidence, analysis.family_size)
    columns = paired_columns(differences)
    low, high = columns.limits(level, held_at(critical, of))
    return CollapseSide(
        n=len(differences),
        verdict=judged.verdict,
        direction=judged.direction,
        summaries={
            name: SummaryReadingOf(
                mean=finite(columns.mean[at]), low_family=finite(low[at]), high_family=finite(high[at])
            )
            for at, name in enumerate(chosen.summaries)
        },
    )
