"""How a score table was read, and under which summaries it was judged."""

from collections.abc import Mapping

from tools.report import numbers
from tools.report.markdown import Column, code, table, text
from tools.scores.book import ScoreBook
from tools.statistics.score_analysis import ScoreAnalysis

_NAMED = 8
"""Parts of a weighting that are named."""


def reading(book: ScoreBook) -> str:
    """Files, layout, rows and cells."""
    source = ", ".join(code(name) for name in book.source)
    cells = f", {numbers.counted(len(book.cells), 'cell')}" if len(book.cells) > 1 else ""
    return f"{source}: {text(book.format)}, {book.rows:,} rows{cells}."


def mapping_lines(book: ScoreBook) -> tuple[str, ...]:
    """Which column plays which role."""
    return tuple(f"{text(role)}: {text(column)}" for role, column in book.mapping.items())


def summaries_table(analysis: ScoreAnalysis) -> str:
    """Of the first cell; that other cells have other benchmarks is told in a line."""
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
    return f"{table(columns, rows)}\n\n{cells} with other benchmarks: the summaries there are in verdict.json."


def _weights(weights: Mapping[str, float], domains: Mapping[str, str]) -> str:
    """Shares by domain where every benchmark has one, else by benchmark."""
    known = all(name in domains for name in weights)
    if not known and len({round(value, 9) for value in weights.values()}) == 1:
        return f"1/{len(weights)} each"
    shares: dict[str, float] = {}
    for name, weight in weights.items():
        key = domains[name] if known else name
        shares[key] = shares.get(key, 0.0) + weight
    named = [f"{name} {numbers.percent(value)}" for name, value in list(shares.items())[:_NAMED]]
    return ", ".join([*named, "..."] if len(shares) > _NAMED else named)
