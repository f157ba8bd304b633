"""Tables over the comparisons of one cell, and the CSV files of a whole analysis."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.report import numbers
from tools.report.csv_text import csv_text
from tools.report.facts import facts
from tools.report.markdown import Column, table, text
from tools.report.scores_titles import cell_title, count_of
from tools.report.titles import short_verdict
from tools.statistics.paired_columns import paired_columns
from tools.statistics.score_analysis import Judged, JudgedCell, ScoreAnalysis

_SUMMARY = (
    *("summary", "n", "mean", "sd", "low", "high", "low_family", "high_family", "p", "p_holm", "low_tost", "high_tost"),
    *("sesoi", "verdict", "negligible"),
)


def cells_table(cells: Sequence[JudgedCell]) -> str:
    """One row a cell: its size, and how its comparisons end."""
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
    """One row a comparison, in the order given."""
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
    """What the sensitivity views say of each comparison, in one row; empty where none has any."""
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
    without = one.model_copy(update={"verdict": left.verdict, "direction": left.direction, "negligible": False})
    kinds = found.leave_out.kinds
    return [
        text(one.treatment),
        f"{len(one.exclusions_unadjusted)} of {len(one.summaries)}",
        numbers.MISSING if subsets is None else f"{numbers.percent(subsets.above)} / {numbers.percent(subsets.below)}",
        f"{sum(len(kind.changed) for kind in kinds)} of {sum(kind.removals for kind in kinds)}",
        str(left.n) if found.collapse.flagged else "none flagged",
        text(short_verdict(without)) if found.collapse.flagged else numbers.MISSING,
    ]


def scores_csv(analysis: ScoreAnalysis) -> dict[str, str]:
    """Table name -> CSV text: `summaries`, `differences` (by seed), `benchmarks`; a missing value is an empty cell."""
    groups = tuple(dict.fromkeys(name for cell in analysis.cells for name in cell.group))
    head = (*groups, "treatment", "control")

    def named(judged: Judged) -> list[object]:
        one = judged.comparison
        return [*(judged.group.get(name) for name in groups), one.treatment, one.control]

    of_summary = ((named(one), one) for one in analysis.judged)
    summaries = (
        [
            *name,
            one.comparison.k,
            one.comparison.verdict,
            one.comparison.direction,
            summary.summary == one.comparison.primary,
        ]
        + [getattr(summary, column) for column in _SUMMARY]
        for name, one in of_summary
        for summary in facts(one.comparison).summaries
    )
    differences = (
        [*named(one), summary.summary, seed, value]
        for one in analysis.judged
        for summary in one.comparison.summaries.values()
        for seed, value in summary.differences.items()
    )
    benchmarks = (
        [*named(one), *row] for cell in analysis.cells for one in cell.judged for row in benchmark_rows(cell, one)
    )
    summary_head = ("k", "overall_verdict", "direction", "primary", *_SUMMARY)
    return {
        "summaries": csv_text((*head, *summary_head), summaries),
        "differences": csv_text((*head, "summary", "seed", "difference"), differences),
        "benchmarks": csv_text((*head, *BenchmarkRow._fields), benchmarks),
    }


class BenchmarkRow(NamedTuple):
    """One benchmark in both arms of one comparison, on the seeds that have it in both."""

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
    """In the table's order, those that some pair has; none for invalid data."""
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
        sd, low, high = (_known(float(value[0])) for value in (found.sd, *limits))
        yield BenchmarkRow(name, cell.domains.get(name, ""), found.n, *means, float(found.mean[0]), sd, low, high)


def _known(value: float) -> float | None:
    return value if value == value else None
