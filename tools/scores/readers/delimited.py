"""Reads CSV and TSV: separator, header, and rows with their line numbers."""

import csv
import io
import sys
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from policies.errors import InputError
from tools.scores.readers.raw import Raw, RawTable, Segment

if TYPE_CHECKING:
    import _csv

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_CHUNK = 20_000
_HEAD = 1_000_000
"""Number of characters in which the header is searched."""


class _Body(NamedTuple):
    """The rows of a file below its header."""

    columns: list[list[Raw]]
    lines: "array[int]"
    repeated: int
    """Number of lines that repeat the header."""


def read_delimited(text: str, source: str) -> RawTable:
    """Returns the table in this text. Raises InputError naming the line that does not fit the header."""
    csv.field_size_limit(sys.maxsize)
    separator, text, skipped = _separator(text, source)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        header = [" ".join(name.split()) for name in _first(reader)]
        body = _body(reader, header, source, skipped)
    except csv.Error as error:
        raise InputError(f"{source} line {reader.line_num + skipped}: {error}: fix the file") from None
    columns, notes = _named(header, body, source)
    if separator != "," and not source.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
        notes.append(f"{source} is separated by {SEPARATORS[separator]}s")
    if body.repeated:
        notes.append(f"{source}: {body.repeated} repeated header lines were skipped")
    if not body.lines:
        raise InputError(f"{source} has a header but no rows: add rows below it")
    return RawTable(columns, (Segment(source, 0, "line", body.lines),), tuple(notes))


def _separator(text: str, source: str) -> tuple[str, str, int]:
    """The separator, the text after Excel's `sep=` line, and how many lines were skipped."""
    first, _, rest = text.partition("\n")
    mark = first.strip("\r\ufeff ")
    if mark[:4].lower() == "sep=" and mark[4:] in SEPARATORS:
        return mark[4:], rest, 1
    counts = {mark: _width(text, mark) for mark in SEPARATORS}
    best = max(counts, key=lambda mark: counts[mark])
    if counts[best] < 2:
        shown = text.strip().splitlines()[0].strip()[:60]
        raise InputError(
            f"{source}: its first line {shown!r} is not the header of a table: "
            "separate columns by comma, semicolon, tab or bar, and name them in the first line"
        )
    return best, text, 0


def _width(text: str, separator: str) -> int:
    try:
        return len(_first(csv.reader(io.StringIO(text[:_HEAD], newline=""), delimiter=separator)))
    except csv.Error:
        return 0


def _first(reader: Iterator[list[str]]) -> list[str]:
    """The first row that is not empty."""
    return next((row for row in reader if any(cell.strip() for cell in row)), [])


def _body(reader: "_csv.Reader", header: list[str], source: str, skipped: int) -> _Body:
    body = _Body([[] for _ in header], array("q"), 0)
    repeated = 0
    pool: dict[str, str] = {}
    rows: list[list[str]] = []
    named = max(place for place, name in enumerate(header, 1) if name)
    for row in reader:
        if not row or (not row[0].strip() and not any(map(str.strip, row))):
            continue
        line = reader.line_num + skipped
        if len(row) != len(header):
            row = _fitted(row, len(header), named, f"{source} line {line}")
        if row[0].strip() == header[0] and [" ".join(cell.split()) for cell in row] == header:
            repeated += 1
            continue
        rows.append(row)
        body.lines.append(line)
        if len(rows) == _CHUNK:
            _extend(body.columns, rows, pool)
            rows = []
    _extend(body.columns, rows, pool)
    return body._replace(repeated=repeated)


def _fitted(row: list[str], width: int, named: int, where: str) -> list[str]:
    """The row without, or with, the empty fields that a spreadsheet leaves at its end.

    Raises InputError unless it then has a field for each of the header's `named` first columns.
    """
    given = len(row)
    while len(row) > width and not row[-1].strip():
        row = row[:-1]
    if named <= len(row) <= width:
        return row + [""] * (width - len(row))
    raise InputError(
        f"{where}: {given} fields, but the header has {width}: "
        "fill every column in every row, and quote a field that contains the separator"
    )


def _extend(columns: list[list[Raw]], rows: list[list[str]], pool: dict[str, str]) -> None:
    """Adds rows to the columns; equal texts are one object, for memory."""
    if rows:
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(map(pool.setdefault, cells, cells))


def _named(header: list[str], body: _Body, source: str) -> tuple[dict[str, list[Raw]], list[str]]:
    """The columns by name, without those that have neither name nor content and the index that pandas writes."""
    notes: list[str] = []
    columns: dict[str, list[Raw]] = {}
    for place, (name, column) in enumerate(zip(header, body.columns, strict=True), 1):
        if not name or name.startswith("Unnamed:"):
            if not any(map(str.strip, map(str, column))):
                continue
            if not _counts(column):
                raise InputError(f"{source}: column {place} has values but no name: name it in the header or delete it")
            notes.append(f"{source}: column {place} has no name and numbers the rows, so it is left out")
        elif name in columns:
            raise InputError(f"{source}: two columns are named {name!r}: rename or delete one of them")
        else:
            columns[name] = column
    return columns, notes


def _counts(column: list[Raw]) -> bool:
    """Whether the column numbers the rows (in any order, as after filtering): whole numbers, each once."""
    return all(str(cell).isdigit() for cell in column) and len(set(column)) == len(column)
