"""The little Markdown that a report needs: tables that stay tables whatever stands in a cell."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

_MARKS = re.compile(
    r"[\\`*|~]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis; an underscore inside a word is plain text
    r"|(?<=\])[(\[:]"  # links
    r"|^[#+=-]"  # headings and lists
)


class Column(NamedTuple):
    """A table column; numbers stand right."""

    name: str
    side: Literal["left", "right"] = "left"


def text(value: str) -> str:
    """Text from outside as one line of plain Markdown: no markup, no HTML, no table separator takes effect."""
    line = _MARKS.sub(r"\\\g<0>", " ".join(value.split()))
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(value: str) -> str:
    """Text from outside as one code span; in a table, a bar in it is written as its entity outside the span."""
    line = " ".join(value.split()) or " "
    fence = "``" if "`" in line else "`"
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", "\\|")


def table(columns: Sequence[Column | str], rows: Sequence[Sequence[str]]) -> str:
    """A GitHub table, padded so that it also reads well as plain text. Cells are Markdown already."""
    heads = [one if isinstance(one, Column) else Column(one) for one in columns]
    for row in rows:
        if len(row) != len(heads):
            raise ValueError(f"row has {len(row)} cells, the table {len(heads)} columns: {row}")
    widths = [max(3, len(head.name), *(len(row[at]) for row in rows), 0) for at, head in enumerate(heads)]
    rule = [
        "-" * (width - 1) + ":" if head.side == "right" else "-" * width
        for head, width in zip(heads, widths, strict=True)
    ]
    lines = [_line([head.name for head in heads], heads, widths), f"| {' | '.join(rule)} |"]
    return "\n".join(lines + [_line(row, heads, widths) for row in rows])


def _line(cells: Sequence[str], heads: Sequence[Column], widths: Sequence[int]) -> str:
    padded = [
        cell.rjust(width) if head.side == "right" else cell.ljust(width)
        for cell, head, width in zip(cells, heads, widths, strict=True)
    ]
    return f"| {' | '.join(padded)} |"


def page(parts: Iterable[str]) -> str:
    """Paragraphs and tables one below the other, empty ones left out."""
    return "\n\n".join(part for part in parts if part)


class Section(NamedTuple):
    """The heading has no marks, since its level is the report's affair; empty: none."""

    heading: str
    content: str
