"""A pandas DataFrame as a table: read as the CSV that it would be written as."""

from typing import TYPE_CHECKING

from policies.errors import InputError
from tools.scores.readers.delimited import read_delimited
from tools.scores.readers.raw import RawTable

if TYPE_CHECKING:
    from pandas import DataFrame


def read_frame(frame: "DataFrame", source: str = "DataFrame") -> RawTable:
    """The table in this frame, index levels that have names as its first columns; errors count rows from 1.

    Raises InputError for an empty frame, two columns of one name, columns of several levels, and an index without a
    name that does more than count rows.
    """
    if frame.empty:
        rows, columns = frame.shape
        raise InputError(f"{source} is empty ({rows} rows, {columns} columns): nothing to read")
    if frame.columns.nlevels > 1:
        raise InputError(
            f"{source} has {frame.columns.nlevels} levels of column names, such as {tuple(frame.columns[0])!r}: "
            "give each column one name"
        )
    named = any(name is not None for name in frame.index.names)
    if not named and frame.index.inferred_type != "integer":
        raise InputError(
            f"the index of {source} has values such as {frame.index[0]!r} and no name: name it, or drop it with "
            "reset_index(drop=True)"
        )
    table = read_delimited(frame.to_csv(index=named, lineterminator="\r\n"), source)
    (lines,) = table.segments
    below_header = [line - 1 for line in lines.places]
    return RawTable(table.columns, (lines._replace(unit="row", places=below_header),), table.notes)
