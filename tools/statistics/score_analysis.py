"""A whole score table judged: every cell, every family in it, every comparison, with what it rests on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from policies.errors import InputError
from tools.scores.book import ScoreBook
from tools.scores.families import Family, Group, Pairing
from tools.scores.summary_file import SummaryFile, verdict_set_of
from tools.scores.table import ScoreTable
from tools.scores.verdict_sets import VerdictSet
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Comparison
from tools.study.plan import Analysis

DEFAULT_SESOI = 1.0
"""Score points."""

Progress = Callable[[str, int, int], None]
"""What is being done, how many are done, of how many."""


class Settings(NamedTuple):
    """How a table is judged."""

    confidence: float = 0.95
    sesoi: float | None = None
    """Smallest effect of interest under every summary; None: the summary file's, else 1.0."""
    primary: str | None = None
    """None: the summary file's, else the first of the verdict set."""
    file: SummaryFile = SummaryFile()


class JudgedFamily(NamedTuple):
    """The treatments of one control in one cell, in the table's order."""

    group: Group
    table: ScoreTable
    control: str
    analysis: Analysis
    comparisons: tuple[Comparison, ...]


class Judged(NamedTuple):
    """One comparison with the cell that it stands in."""

    group: Group
    comparison: Comparison


@dataclass(frozen=True, eq=False)
class ScoreAnalysis:
    """Everything that output and report are made of."""

    book: ScoreBook
    families: tuple[JudgedFamily, ...]
    notes: tuple[str, ...]
    """How pairs and summaries were chosen; the book has its own notes."""

    @property
    def comparisons(self) -> tuple[Judged, ...]:
        """All comparisons, in the table's order."""
        return tuple(Judged(family.group, one) for family in self.families for one in family.comparisons)

    @property
    def all_invalid(self) -> bool:
        """No comparison could be judged for faults of the data."""
        return all(one.comparison.verdict == "invalid_data" for one in self.comparisons)


def judge_book(
    book: ScoreBook, pairing: Pairing, settings: Settings, progress: Progress = lambda what, done, total: None
) -> ScoreAnalysis:
    """Judges every family. Raises InputError where the settings do not fit the table: no score is looked at before."""
    sets = _verdict_sets(book, settings)
    analyses = [_analysis(family, sets[id(family.table)], settings) for family in pairing.families]
    total, done = sum(family.size for family in pairing.families), 0
    families = []
    for family, analysis in zip(pairing.families, analyses, strict=True):
        progress("comparisons judged", done, total)
        found = judge(family.table, family.control, family.treatments, analysis).comparisons
        families.append(JudgedFamily(family.group, family.table, family.control, analysis, found))
        done += family.size
    progress("comparisons judged", done, total)
    notes = dict.fromkeys((*pairing.notes, *(note for chosen in sets.values() for note in chosen.notes)))
    return ScoreAnalysis(book, tuple(families), tuple(notes))


def _verdict_sets(book: ScoreBook, settings: Settings) -> dict[int, VerdictSet]:
    """By the identity of each cell's table; a person's own summaries are the same in all cells."""
    everywhere = tuple(dict.fromkeys(name for cell in book.cells for name in cell.table.benchmarks))
    domains = {name: domain for cell in book.cells for name, domain in cell.table.domains.items() if domain}
    own = verdict_set_of(settings.file, everywhere, domains)
    if settings.file.summaries:
        return {id(cell.table): own for cell in book.cells}
    return {
        id(cell.table): verdict_set_of(_for(settings.file, cell.table), _scored(cell.table), domains)
        for cell in book.cells
    }


def _for(file: SummaryFile, table: ScoreTable) -> SummaryFile:
    scored = _scored(table)
    return file.model_copy(
        update={"domains": {name: domain for name, domain in file.domains.items() if name in scored}}
    )


def _scored(table: ScoreTable) -> tuple[str, ...]:
    """The benchmarks that have a score in this cell; all of them where none has."""
    has = ~np.isnan(table.scores).all(axis=(0, 1))
    return tuple(name for name, any_score in zip(table.benchmarks, has, strict=True) if any_score) or table.benchmarks


def _analysis(family: Family, chosen: VerdictSet, settings: Settings) -> Analysis:
    names = ", ".join(chosen.summaries)
    primary = settings.primary or settings.file.primary or next(iter(chosen.summaries))
    if primary not in chosen.summaries:
        raise InputError(f"summary {primary!r} is not in the verdict set; choose the primary from: {names}")
    sesoi: float | Mapping[str, float] = settings.sesoi or settings.file.sesoi or DEFAULT_SESOI
    if not isinstance(sesoi, float) and set(sesoi) != set(chosen.summaries):
        raise InputError(f"sesoi in the summary file must name each summary of the verdict set and no other: {names}")
    return Analysis.model_validate(
        {
            "confidence": settings.confidence,
            "family_size": family.size,
            "primary": primary,
            "summaries": chosen.summaries,
            "sesoi": sesoi,
        }
    )
