"""CSV and TSV: separator, header, rows with their line numbers."""

import csv
import io
from array import array
from collections.abc import Iterator

from policies.errors import InputError
from tools.scores.readers.raw import Raw, RawTable, Segment

SEPARATORS = (",", ";", "\t", "|")
_CHUNK = 20_000


def read_delimited(text: str, source: str) -> RawTable:
    """The table in this text. Raises InputError naming the line that does not fit its header."""
    separator, body, skipped = _separator(text, source)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=False)
    header = _header(reader, source)
    columns: list[list[Raw]] = [[] for _ in header]
    lines = array("q")
    pool: dict[str, str] = {}
    notes: list[str] = []
    for rows in _chunks(reader, header, source, lines, skipped, notes):
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend(map(pool.setdefault, cells, cells))
    kept = {name: column for name, column in zip(header, columns, strict=True) if name}
    return RawTable(kept, (Segment(source, 0, "line", lines),), tuple(notes))


def _separator(text: str, source: str) -> tuple[str, str, int]:
    """The separator, the text after Excel's `sep=` line, and how many lines were skipped."""
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == 5:
        return first.strip()[4], rest, 1
    counts = {mark: len(next(csv.reader(io.StringIO(text, newline=""), delimiter=mark), [])) for mark in SEPARATORS}
    best = max(counts, key=lambda mark: counts[mark])
    if counts[best] < 2:
        raise InputError(f"{source}: the first line {first.strip()[:60]!r} is no header of a table: it has one column")
    return best, text, 0


def _header(reader: Iterator[list[str]], source: str) -> tuple[str, ...]:
    names = [" ".join(name.split()) for name in next(reader)]
    again = sorted({name for name in names if name and names.count(name) > 1})
    if again:
        raise InputError(f"{source}: two columns are named {again[0]!r}: rename or delete one of them")
    return tuple(names)


def _chunks(
    reader: Iterator[list[str]], header: tuple[str, ...], source: str, lines: "array[int]", skipped: int,
    notes: list[str],
) -> Iterator[list[list[str]]]:  # fmt: skip
    rows: list[list[str]] = []
    for row in reader:
        if not any(row):
            continue
        line = reader.line_num + skipped  # type: ignore[attr-defined]
        if len(row) != len(header):
            raise InputError(f"{source} line {line}: {len(row)} fields where the header has {len(header)}")
        rows.append(row)
        lines.append(line)
        if len(rows) == _CHUNK:
            yield rows
            rows = []
    if rows:
        yield rows
