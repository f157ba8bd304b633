"""A raw table: columns of uninterpreted cells, with the place of each row in its file."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

Raw = str | int | float | bool | None
"""A cell: text from CSV; typed values from JSON and Parquet; None if the record has no such field."""


class Segment(NamedTuple):
    """The rows of one file within a table."""

    source: str
    """The file, as given by the user."""
    start: int
    """Index of its first row in the table."""
    unit: str
    """The unit of `places`: `line`, `row`, `record` or `task`."""
    places: Sequence[int]
    """The place of each row in the file, from 1."""


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns of equal length, in the order of the file."""

    columns: dict[str, list[Raw]]
    segments: tuple[Segment, ...]
    notes: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        last = self.segments[-1]
        return last.start + len(last.places)

    def where(self, row: int) -> str:
        """Returns the place of a row as an error names it: `runs.csv line 7`."""
        segment = self.segments[bisect_right([one.start for one in self.segments], row) - 1]
        return f"{segment.source} {segment.unit} {segment.places[row - segment.start]}"


def joined(tables: Sequence[RawTable]) -> RawTable:
    """Returns several files as one table with the columns of all; cells are None if a file has no such column."""
    if len(tables) == 1:
        return tables[0]
    names = tuple(dict.fromkeys(name for table in tables for name in table.header))
    columns: dict[str, list[Raw]] = {
        name: [cell for table in tables for cell in table.columns.get(name) or [None] * table.rows] for name in names
    }
    segments: list[Segment] = []
    start = 0
    for table in tables:
        segments += [segment._replace(start=segment.start + start) for segment in table.segments]
        start += table.rows
    return RawTable(columns, tuple(segments), tuple(note for table in tables for note in table.notes))
