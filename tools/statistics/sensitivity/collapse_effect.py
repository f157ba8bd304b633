"""One comparison with and without the cells that were flagged as collapsed."""

from collections.abc import Sequence

from policies.model import StrictModel
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.family import family_confidence
from tools.statistics.paired import paired_t
from tools.statistics.sensitivity.collapsed import CellIndex, without
from tools.statistics.sensitivity.rejudge import Direction, rejudge
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
    table: ScoreTable, cells: Sequence[CellIndex], treatment: str, control: str, analysis: Analysis
) -> CollapseEffect:
    """Judges the complete pairs of the two arms twice; cells are positions in the table."""
    chosen = SummaryMatrix.of(analysis.summaries)
    touching = tuple(
        cell
        for cell in cells
        if table.arms[cell.arm] in (treatment, control) and table.benchmarks[cell.benchmark] in chosen.benchmarks
    )
    pairs = table.paired(treatment, control, chosen.benchmarks)
    kept = _side(pairs, chosen, analysis)
    left = kept
    if touching:
        left = _side(without(table, touching).paired(treatment, control, chosen.benchmarks), chosen, analysis)
    level = family_confidence(analysis.confidence, analysis.family_size)
    return CollapseEffect(family_confidence=level, flagged=touching, kept=kept, left=left)


def _side(pairs: PairedScores, chosen: SummaryMatrix, analysis: Analysis) -> CollapseSide:
    differences = chosen.differences(pairs)
    judged = rejudge(differences[None], analysis, chosen.summaries)[0]
    level = family_confidence(analysis.confidence, analysis.family_size)
    intervals = (paired_t(column, level) for column in differences.T)
    return CollapseSide(
        n=len(differences),
        verdict=judged.verdict,
        direction=judged.direction,
        summaries={
            name: SummaryReadingOf(mean=one.mean, low_family=one.low, high_family=one.high)
            for name, one in zip(chosen.summaries, intervals, strict=True)
        },
    )
