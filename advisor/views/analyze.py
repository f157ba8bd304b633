"""What `analyze` prints: how the table was read, one row a comparison, and the verdicts in sentences, worst first."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tools.report.claims.comparison import verdict_sentence
from tools.report.claims.facts import facts
from tools.report.claims.titles import short_verdict
from tools.report.conclusion import verdict_markdown
from tools.report.scores.tables import overview_table
from tools.report.scores.titles import cell_title, scores_title, worst_first
from tools.statistics.table.analysis import Judged, ScoreAnalysis
from tools.text import numbers
from tools.text.markdown import page, text

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table

MOST_NAMES = 12
"""Columns of one role that are named."""
MOST_ROWS, MOST_SENTENCES = 60, 12
"""Comparisons that a terminal shows in the table, and in sentences."""
MOST_CELLS = 12
"""Cells that Markdown shows, each with a table."""

LEAST_WIDTH = 78
"""Columns of the table: in a narrower terminal its lines wrap, and no number is cut."""


def show_analysis(data: "Console", talk: "Console", analysis: ScoreAnalysis, out: Path | None) -> None:
    """The reading of the table to `talk`, the verdicts to `data`."""
    for line in reading_lines(analysis):
        talk.print(line, markup=False, style="dim")
    width = data.width
    data.width = max(width, LEAST_WIDTH)
    data.print(_table(analysis), crop=False)
    data.width = width
    for line in _lines(analysis):
        data.print(line, markup=False)
    if out is not None:
        talk.print(f"Report: {out / 'report.md'}", markup=False, soft_wrap=True)


def _lines(analysis: ScoreAnalysis) -> Iterator[str]:
    """What stands below the table: its legend, verdicts in sentences, worst first, what holds over `by`."""
    ordered = worst_first(analysis.judged)
    yield _legend(ordered)
    left = len(ordered) - MOST_ROWS
    if left > 0:
        yield f"and {numbers.counted(left, 'comparison')} more: --json or --out DIR gives all"
    for judged in ordered[:MOST_SENTENCES]:
        yield ""
        yield f"{named(judged)}: {verdict_sentence(facts(judged.comparison))}"
        for line in (*judged.comparison.faults, *judged.comparison.notes):
            yield f"  - {line}"
    left = len(ordered) - MOST_SENTENCES
    if left > 0:
        yield ""
        yield f"{numbers.capital(numbers.counted(left, 'verdict'))} more in words: --out DIR"
    for line in across_lines(analysis):
        yield ""
        yield line


def reading_lines(analysis: ScoreAnalysis) -> list[str]:
    """How the files were read: format, columns, notes."""
    book = analysis.book
    columns = ", ".join(f"{role} = {_cut(column)}" for role, column in book.mapping.items())
    cells = "" if len(book.cells) == 1 else f", {len(book.cells)} cells"
    first = f"Read {', '.join(book.source)}: {book.format}, {book.rows:,} rows{cells}; columns: {columns}."
    return [first, *(f"Note: {note}." for note in (*book.notes, *analysis.notes))]


def _cut(columns: str) -> str:
    """A list of many columns by its ends."""
    names = columns.split(", ")
    return columns if len(names) <= MOST_NAMES else f"{names[0]}, {names[1]} ... {names[-1]} ({len(names)})"


def across_lines(analysis: ScoreAnalysis) -> list[str]:
    """What holds of each treatment over the values of `--by`: on all of them, on some, or on none."""
    by, lines = analysis.settings.by, []
    for followed in analysis.models[:MOST_SENTENCES]:
        one = followed.across
        where = ", ".join(str(value) for value in followed.group.values())
        tested = f"{numbers.every(len(one.models), 'tested value')} ({', '.join(one.models)})"
        if one.holds_on_all:
            said = f"{one.holds_on_all} on {tested}, under every summary"
        elif one.holds_on:
            found = numbers.listed([f"{direction} on {value}" for value, direction in one.holds_on.items()])
            said = f"{found} (Holm over {numbers.word(len(one.models))}), not on {tested}"
        else:
            said = f"no claim holds on {tested}, and none can be singled out"
        lines.append(f"Over {by}: {one.treatment} against {one.control}{f' ({where})' if where else ''}: {said}.")
    left = len(analysis.models) - MOST_SENTENCES
    return [*lines, f"{numbers.capital(numbers.word(left))} more over {by}: --out DIR"] if left > 0 else lines


def named(judged: Judged) -> str:
    """`tscl - static (model Qwen2.5-0.5B-Instruct)`."""
    one = judged.comparison
    where = ", ".join(str(value) for value in judged.group.values())
    return f"{one.treatment} against {one.control}{f' ({where})' if where else ''}"


def _legend(ordered: Sequence[Judged]) -> str:
    one = ordered[0].comparison
    several = any(each.comparison.k > 1 for each in ordered)
    alpha = numbers.short(round(1 - one.confidence, 10))
    return (
        f"difference: treatment - control on the primary summary ({one.primary}), score points; n: seed pairs; k: "
        f"treatments of that control; family interval: at 1 - {alpha} / k"
        f"{'; comparisons that share a control are correlated' if several else ''}; worst first."
    )


def analysis_view(analysis: ScoreAnalysis) -> "Group":
    """Title, table, sentences, and how the scores were read."""
    from rich.console import Group
    from rich.text import Text

    title = Text(scores_title(analysis), style="bold")
    read = (Text(line, style="dim") for line in ("", *reading_lines(analysis)))
    return Group(title, _table(analysis), *map(Text, _lines(analysis)), *read)


def analysis_markdown(analysis: ScoreAnalysis) -> str:
    """The same as Markdown; one comparison alone with every summary."""
    parts, judged = [f"**{text(scores_title(analysis))}**"], analysis.judged
    if len(judged) == 1:
        parts += verdict_markdown(judged[0].comparison)
    else:
        for cell in analysis.cells[:MOST_CELLS]:
            parts += [text(cell_title(cell)), overview_table(worst_first(cell.judged)[:MOST_ROWS])]
        left = len(analysis.cells) - MOST_CELLS
        parts += [f"and {numbers.counted(left, 'cell')} more: `table()` has all"] if left > 0 else []
    return page([*parts, *map(text, (*across_lines(analysis), *reading_lines(analysis)))])


def _table(analysis: ScoreAnalysis) -> "Table":
    """One row a comparison, worst first."""
    from rich.table import Table

    ordered = worst_first(analysis.judged)
    table = Table(box=None, pad_edge=False, header_style="bold")
    if ordered[0].group:
        table.add_column(" / ".join(ordered[0].group), overflow="fold")
    for name in ("treatment", "control"):
        table.add_column(name, overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for name in ("n", "k", "difference", "family interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for judged in ordered[:MOST_ROWS]:
        one = judged.comparison
        primary = one.summaries[one.primary]
        table.add_row(
            *([" / ".join(str(value) for value in judged.group.values())] if judged.group else ()),
            one.treatment,
            one.control,
            short_verdict(one),
            str(len(one.seeds)),
            str(one.k),
            numbers.signed(primary.mean),
            numbers.interval(primary.low_family, primary.high_family),
        )
    return table
