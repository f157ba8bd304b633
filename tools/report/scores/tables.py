"""Tables over the comparisons of one cell, and the CSV files of a whole analysis."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tools.report.claims.titles import claims_more, short_verdict
from tools.report.conclusion import SUMMARY_COLUMNS, summary_rows
from tools.report.files import Rows, csv_text
from tools.report.scores.titles import cell_title, count_of
from tools.report.sensitivity.collapsed import negligible_in
from tools.scores.book import ScoreBook
from tools.statistics.paired import paired_columns
from tools.statistics.table.analysis import Judged, JudgedCell, ScoreAnalysis
from tools.text import numbers
from tools.text.markdown import Column, code, table, text


def cells_table(cells: Sequence[JudgedCell]) -> str:
    """Returns one row per cell: its size, and the verdicts of its comparisons."""
    columns: list[Column | str] = ["cell"]
    for name in ("arms", "seeds", "comparisons"):
        columns.append(Column(name, "right"))
    columns.append("verdicts")
    rows = []
    for cell in cells:
        ends = numbers.listed([f"{count} {name}" for name, count in count_of(cell.judged).items()])
        sizes = (len(cell.table.arms), len(cell.table.seeds), len(cell.judged))
        rows.append([text(cell_title(cell)), *map(str, sizes), text(ends)])
    return table(columns, rows)


def overview_table(rows: Sequence[Judged]) -> str:
    """Returns one row per comparison, in the order given."""
    columns: list[Column | str] = ["treatment", "control", "verdict"]
    for name in ("n", "k", "primary difference", "family interval", "alone (unadjusted)"):
        columns.append(Column(name, "right"))
    return table(columns, [_overview_row(one) for one in rows])


def _overview_row(judged: Judged) -> list[str]:
    one = judged.comparison
    primary = one.summaries[one.primary]
    return [
        text(one.treatment),
        text(one.control),
        text(short_verdict(one)),
        str(len(one.seeds)),
        str(one.k),
        numbers.signed(primary.mean),
        numbers.interval(primary.low_family, primary.high_family),
        numbers.interval(primary.low, primary.high),
    ]


def glance_table(rows: Sequence[Judged]) -> str:
    """Returns the sensitivity views of each comparison in one row; empty where none has any."""
    columns: list[Column | str] = [
        "treatment",
        Column("summaries that exclude zero alone", "right"),
        Column("equal-weight subsets above / below zero", "right"),
        Column("removals that change the verdict", "right"),
        Column("n without collapsed cells", "right"),
        "verdict without them",
    ]
    shown = [_glance_row(one) for one in rows if one.sensitivity is not None]
    return table(columns, shown) if shown else ""


def _glance_row(judged: Judged) -> list[str]:
    one, found = judged.comparison, judged.sensitivity
    assert found is not None
    subsets = next((share for share in found.weightings.shares if share.kind == "subsets"), None)
    left = found.collapse.left
    other = {"verdict": left.verdict, "direction": left.direction, "negligible": negligible_in(left, one)}
    without = one.model_copy(update=other)
    reads = "stronger, not claimed" if claims_more(one, left.verdict) else short_verdict(without)
    kinds = found.leave_out.kinds
    return [
        text(one.treatment),
        f"{len(one.exclusions_unadjusted)} of {len(one.summaries)}",
        numbers.MISSING if subsets is None else f"{numbers.percent(subsets.above)} / {numbers.percent(subsets.below)}",
        f"{sum(len(kind.changed) for kind in kinds)} of {sum(kind.removals for kind in kinds)}",
        str(left.n) if found.collapse.flagged else "none flagged",
        text(reads) if found.collapse.flagged else numbers.MISSING,
    ]


def scores_csv(analysis: ScoreAnalysis) -> dict[str, str]:
    """Table name -> CSV text: `summaries`, `differences` (by seed), `benchmarks`; a missing value is an empty cell."""
    head = _head(analysis)
    differences = (
        [*_named(one, head), summary.summary, seed, value]
        for one in analysis.judged
        for summary in one.comparison.summaries.values()
        for seed, value in summary.differences.items()
    )
    benchmarks = (
        [*_named(one, head), *row]
        for cell in analysis.cells
        for one in cell.judged
        for row in benchmark_rows(cell, one)
    )
    return {
        "summaries": csv_text(*summaries(analysis)),
        "differences": csv_text((*head, "summary", "seed", "difference"), differences),
        "benchmarks": csv_text((*head, *BenchmarkRow._fields), benchmarks),
    }


def summaries(analysis: ScoreAnalysis) -> Rows:
    """One row a comparison and summary, after the columns that separate cells."""
    head = _head(analysis)
    rows = (
        [*_named(one, head), one.comparison.k, one.comparison.verdict, one.comparison.direction, *row]
        for one in analysis.judged
        for row in summary_rows(one.comparison)
    )
    return Rows((*head, "k", "overall_verdict", "direction", *SUMMARY_COLUMNS), rows)


def _head(analysis: ScoreAnalysis) -> tuple[str, ...]:
    return (*dict.fromkeys(name for cell in analysis.cells for name in cell.group), "treatment", "control")


def _named(judged: Judged, head: Sequence[str]) -> list[object]:
    one = judged.comparison
    return [*(judged.group.get(name) for name in head[:-2]), one.treatment, one.control]


class BenchmarkRow(NamedTuple):
    """One benchmark in both arms of a comparison, on the seeds that have it in both arms."""

    benchmark: str
    domain: str
    n: int
    treatment_mean: float
    control_mean: float
    difference: float
    sd: float | None
    low_unadjusted: float | None
    high_unadjusted: float | None


def benchmark_rows(cell: JudgedCell, judged: Judged) -> Iterator[BenchmarkRow]:
    """Yields the benchmarks that any pair has, in the table's order; none for invalid data."""
    one, scores = judged.comparison, cell.table
    if one.verdict == "invalid_data":
        return
    for name in scores.benchmarks:
        pairs = scores.paired(one.treatment, one.control, (name,))
        if not pairs.seeds:
            continue
        found = paired_columns(pairs.treatment - pairs.control)
        limits = found.limits(one.confidence)
        means = (float(pairs.treatment.mean()), float(pairs.control.mean()))
        sd, low, high = (numbers.finite(value[0]) for value in (found.sd, *limits))
        yield BenchmarkRow(name, cell.domains.get(name, ""), found.n, *means, float(found.mean[0]), sd, low, high)


_NAMED = 8
"""Most parts of a weighting that are named."""


def reading(book: ScoreBook) -> str:
    """Returns the files, layout, rows and cells that were read."""
    source = ", ".join(code(name) for name in book.source)
    cells = f", {numbers.counted(len(book.cells), 'cell')}" if len(book.cells) > 1 else ""
    return f"{source}: {text(book.format)}, {book.rows:,} rows{cells}."


def mapping_lines(book: ScoreBook) -> tuple[str, ...]:
    """Returns which column has which role."""
    return tuple(f"{text(role)}: {text(column)}" for role, column in book.mapping.items())


def summaries_table(analysis: ScoreAnalysis) -> str:
    """Returns the summaries of the first cell, and a line on cells with other benchmarks."""
    first, domains = analysis.cells[0].families[0].analysis, analysis.cells[0].domains
    columns: list[Column | str] = ["summary", Column("benchmarks", "right"), "weights"]
    columns.append(Column("smallest effect of interest", "right"))
    rows = [
        [
            f"**{text(name)}** (primary)" if name == first.primary else text(name),
            str(len(weights)),
            text(_weights(weights, domains)),
            numbers.short(first.sesoi_of(name)),
        ]
        for name, weights in first.summaries.items()
    ]
    other = sum(cell.families[0].analysis.summaries != first.summaries for cell in analysis.cells)
    if not other:
        return table(columns, rows)
    cells = numbers.capital(numbers.counted(other, "cell"))
    return f"{table(columns, rows)}\n\n{cells} with other benchmarks: their summaries are in verdict.json."


def _weights(weights: Mapping[str, float], domains: Mapping[str, str]) -> str:
    """Formats shares by domain where every benchmark has one, else by benchmark."""
    known = all(name in domains for name in weights)
    if not known and len({round(value, 9) for value in weights.values()}) == 1:
        return f"1/{len(weights)} each"
    shares: dict[str, float] = {}
    for name, weight in weights.items():
        key = domains[name] if known else name
        shares[key] = shares.get(key, 0.0) + weight
    named = [f"{name} {numbers.percent(value)}" for name, value in list(shares.items())[:_NAMED]]
    return ", ".join([*named, "..."] if len(shares) > _NAMED else named)
