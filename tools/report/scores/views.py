"""Every sentence and table of a score table's report, ready for the template, which computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tools.report.claims.comparison import family_sentence
from tools.report.claims.delivery import delivery
from tools.report.claims.facts import facts
from tools.report.claims.titles import within
from tools.report.conclusion import Conclusion, conclusion
from tools.report.scores.across import across_sections
from tools.report.scores.tables import (
    BenchmarkRow,
    benchmark_rows,
    cells_table,
    glance_table,
    mapping_lines,
    overview_table,
    reading,
    summaries_table,
)
from tools.report.scores.take import Takes
from tools.report.scores.titles import (
    cell_title,
    chance_sentence,
    counts_sentence,
    detail_title,
    most_telling,
    scope_sentence,
    scores_title,
    worst_first,
)
from tools.report.sensitivity import collapsed as sensitivity_collapsed
from tools.report.sensitivity import ranks as sensitivity_ranks
from tools.report.sensitivity.sections import sensitivity_sections
from tools.statistics.table.analysis import Judged, JudgedCell, JudgedFamily, Progress, ScoreAnalysis
from tools.text import numbers
from tools.text.markdown import Column, Section, code, table, text

MOST_DETAILS = 12
"""Most comparisons reported in full; the rest are in the tables."""
MOST_CELLS = 40
"""Most cells with their own sections."""
MOST_ROWS = 60
"""Most comparisons in the table of one cell."""


class DetailView(NamedTuple):
    """The sentences and tables of one comparison reported in full."""

    title: str
    scope: str
    evidence: str
    conclusion: Conclusion
    sensitivity: tuple[Section, ...]
    delivery: str
    benchmarks: str
    level: str
    take: tuple[str, ...]


class CellView(NamedTuple):
    """The sentences and tables of one cell's overview."""

    title: str
    lead: str
    overview: str
    families: tuple[str, ...]
    figure: str
    glance: str
    sections: tuple[Section, ...]
    take: tuple[str, ...]


def scores_view(
    analysis: ScoreAnalysis, figures: Mapping[int, str], progress: Progress = lambda what, done, total: None
) -> dict[str, Any]:
    """Returns the variables of the template; figures: place of a cell -> its file's name under `figures/`."""
    takes, judged = Takes(analysis.scores_hash), analysis.judged
    alone = len(judged) == 1
    by_place = {
        id(one.comparison): (cell, family)
        for cell in analysis.cells
        for family in cell.families
        for one in family.judged
    }
    shown = most_telling(judged)[:MOST_DETAILS]
    details = []
    for at, one in enumerate(shown):
        progress("comparisons written", at, len(shown))
        details.append(_detail(one, *by_place[id(one.comparison)], takes if alone else None))
    cells = (
        []
        if alone
        else [_cell(cell, figures.get(at, ""), takes) for at, cell in enumerate(analysis.cells[:MOST_CELLS])]
    )
    settings = analysis.settings
    return {
        "title": text(scores_title(analysis)),
        "alone": alone,
        "lead": "" if alone else text(_lead(analysis)),
        "cells": cells,
        "index": cells_table(analysis.cells) if len(analysis.cells) > 1 else "",
        "chance": text(chance_sentence(judged)),
        "cells_left": _left(len(analysis.cells) - MOST_CELLS, "cell") if not alone else "",
        "across": tuple(across_sections(settings.by, analysis.models)) if settings.by else (),
        "across_by": text(settings.by or ""),
        "details": details,
        "details_lead": _details_lead(len(shown), len(judged)),
        "cell_sections": _cell_sections(analysis.cells[0], brief=False) if alone else (),
        "figure": figures.get(0, ""),
        "summaries": summaries_table(analysis),
        "reading": reading(analysis.book),
        "mapping": mapping_lines(analysis.book),
        "notes": [text(f"{note}.") for note in analysis.book.notes],
        "choices": [text(f"{numbers.capital(note)}.") for note in analysis.notes],
        "hash": code(analysis.scores_hash),
        "command": analysis.command,
    }


def _lead(analysis: ScoreAnalysis) -> str:
    judged, cells = analysis.judged, analysis.cells
    pairs = sorted({len(one.comparison.seeds) for one in judged})
    n = str(pairs[0]) if len(pairs) == 1 else f"{pairs[0]} to {pairs[-1]}"
    where = f" in {numbers.counted(len(cells), 'cell')}" if len(cells) > 1 else ""
    one = judged[0].comparison
    alpha = numbers.short(round(1 - one.confidence, 10))
    return (
        f"{numbers.capital(numbers.counted(len(judged), 'comparison'))}{where}, n = {n} seed pairs each: "
        f"{counts_sentence(judged)}. Each verdict uses intervals at its own family-wise level (k treatments with one "
        f"control in one cell: 1 - {alpha} / k), under every summary; nothing is corrected over cells. Smallest effect "
        f"of interest: {within(facts(one))}. Delivery: not recorded, so each comparison is one of two labels."
    )


def _cell(cell: JudgedCell, figure: str, takes: Takes) -> CellView:
    ordered = worst_first(cell.judged)
    size = f"{numbers.counted(len(cell.table.arms), 'arm')}, {numbers.counted(len(cell.table.seeds), 'seed')}"
    more = _left(len(ordered) - MOST_ROWS, "comparison")
    take = {line: None for family in cell.families for line in takes.sentences(cell, family)}
    return CellView(
        title=text(cell_title(cell)),
        lead=text(f"{numbers.capital(size)}: {counts_sentence(ordered)}."),
        overview=overview_table(ordered[:MOST_ROWS]) + (f"\n\n{more}" if more else ""),
        families=tuple(text(line) for line in _families(cell.families)),
        figure=figure,
        glance=glance_table(ordered[:MOST_ROWS]),
        sections=_cell_sections(cell, brief=True),
        take=tuple(take),
    )


def _families(families: Sequence[JudgedFamily]) -> list[str]:
    """Returns the family sentences of controls that several treatments share."""
    first = (facts(family.comparisons[0]) for family in families if len(family.comparisons) > 1)
    return [family_sentence(one) for one in first]


def _cell_sections(cell: JudgedCell, *, brief: bool) -> tuple[Section, ...]:
    """Returns the cell's sections; brief: omits collapsed cells where none is flagged and every rule was applied."""
    sections = []
    whole = len(cell.collapsed.far_rule) == len(cell.table.benchmarks)
    if cell.collapsed.cells or not (brief and whole):
        sections.append(Section("Collapsed cells", sensitivity_collapsed.section(cell.collapsed, cell.table)))
    if cell.ranks is not None:
        sections.append(Section("Do summaries rank the arms alike?", sensitivity_ranks.section(cell.ranks)))
    return tuple(sections)


def _detail(judged: Judged, cell: JudgedCell, family: JudgedFamily, takes: Takes | None) -> DetailView:
    one = facts(judged.comparison)
    flagged = bool(cell.collapsed.cells)
    return DetailView(
        title=text(detail_title(judged)),
        scope=text(scope_sentence(judged, cell, within(one))),
        evidence=f"**{one.pairs}.** Delivery: **not recorded**.",
        conclusion=conclusion(one),
        sensitivity=sensitivity_sections(judged.sensitivity, judged.comparison, family.max_t, flagged=flagged),
        delivery=text(delivery(judged.comparison)),
        benchmarks=_benchmarks(cell, judged),
        level=numbers.percent(judged.comparison.confidence),
        take=() if takes is None else takes.sentences(cell, family),
    )


def _benchmarks(cell: JudgedCell, judged: Judged) -> str:
    rows = list(benchmark_rows(cell, judged))
    if not rows:
        return ""
    one = judged.comparison
    columns: list[Column | str] = ["benchmark", "domain"]
    for name in ("n", text(one.treatment), text(one.control), "difference", "interval"):
        columns.append(Column(name, "right"))
    return table(columns, [_benchmark(row) for row in rows])


def _benchmark(row: BenchmarkRow) -> list[str]:
    return [
        text(row.benchmark),
        text(row.domain) or numbers.MISSING,
        str(row.n),
        numbers.fixed(row.treatment_mean),
        numbers.fixed(row.control_mean),
        numbers.signed(row.difference),
        numbers.interval(row.low_unadjusted, row.high_unadjusted),
    ]


def _details_lead(shown: int, all_of_them: int) -> str:
    if shown == all_of_them:
        return "Every comparison in full, the ones most likely to be quoted first."
    return (
        f"{numbers.capital(numbers.word(shown))} of {numbers.word(all_of_them)} comparisons are reported in full: "
        "verdicts other than inconclusive first, then those with the most summaries that exclude zero alone, because "
        "these are most likely to be quoted. The tables above contain all comparisons, tables/summaries.csv every "
        "interval, verdict.json every number and sensitivity view."
    )


def _left(count: int, noun: str) -> str:
    return f"{numbers.capital(numbers.counted(count, noun))} more: tables/summaries.csv has all." if count > 0 else ""
