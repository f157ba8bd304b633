"""One comparison with and without the cells that were flagged as collapsed."""

import math
from collections.abc import Sequence

import numpy as np

from policies.model import StrictModel
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.critical import Critical, fixed
from tools.statistics.family import family_confidence
from tools.statistics.paired_columns import paired_columns
from tools.statistics.sensitivity.collapsed import CellIndex
from tools.statistics.sensitivity.rejudge import Direction, held_at, rejudge
from tools.statistics.summary_matrix import SummaryMatrix
from tools.statistics.verdict_model import OverallVerdict
from tools.study.plan import Analysis


class SummaryReadingOf(StrictModel):
    """One summary on the pairs of one side."""

    mean: float | None
    low_family: float | None
    high_family: float | None
    """Family interval; None where it cannot be estimated."""


class CollapseSide(StrictModel):
    """What the complete pairs say, with all cells or without the flagged ones."""

    n: int
    verdict: OverallVerdict
    direction: Direction | None
    summaries: dict[str, SummaryReadingOf]


class CollapseEffect(StrictModel):
    """A pair with a flagged cell is incomplete without it, and so left out as a whole."""

    family_confidence: float
    flagged: tuple[CellIndex, ...]
    """Those in the two arms, on benchmarks of the verdict set."""
    kept: CollapseSide
    """With all cells."""
    left: CollapseSide
    """Without the flagged ones."""


def collapse_effect(
    table: ScoreTable,
    cells: Sequence[CellIndex],
    treatment: str,
    control: str,
    analysis: Analysis,
    critical: Critical = fixed,
) -> CollapseEffect:
    """Judges the complete pairs of the two arms twice; cells: positions in the table, critical: as for the verdict."""
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
    bound = held_at(critical, len(pairs.seeds))
    level = family_confidence(analysis.confidence, analysis.family_size)
    return CollapseEffect(
        family_confidence=level,
        flagged=touching,
        kept=_side(pairs, chosen, analysis, bound),
        left=_side(left, chosen, analysis, bound),
    )


def _side(pairs: PairedScores, chosen: SummaryMatrix, analysis: Analysis, critical: Critical) -> CollapseSide:
    differences = chosen.differences(pairs)
    judged = rejudge(differences[None], analysis, chosen.summaries, critical)[0]
    level = family_confidence(analysis.confidence, analysis.family_size)
    columns = paired_columns(differences)
    low, high = columns.limits(level, critical)
    return CollapseSide(
        n=len(differences),
        verdict=judged.verdict,
        direction=judged.direction,
        summaries={
            name: SummaryReadingOf(
                mean=_known(columns.mean[at]), low_family=_known(low[at]), high_family=_known(high[at])
            )
            for at, name in enumerate(chosen.summaries)
        },
    )


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
