"""Reads Parquet tables if pyarrow is installed."""

import io
from decimal import Decimal
from importlib.util import find_spec

from policies.errors import InputError
from tools.scores.readers.raw import Raw, RawTable, Segment

INSTALL = 'pip install "experiment-advisor[tables]"'


def read_parquet(data: bytes, source: str) -> RawTable:
    """Returns the table in these bytes. Raises InputError without pyarrow, for damaged files and for nested columns."""
    if find_spec("pyarrow") is None:
        raise InputError(f"{source}: reading Parquet needs pyarrow: {INSTALL}")
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(io.BytesIO(data)).read()
    except (pyarrow.ArrowException, OSError) as error:
        first = (str(error).splitlines() or ["damaged"])[0]
        raise InputError(f"{source}: not a readable Parquet file ({first}): write it again") from None
    names = [str(name) for name in table.column_names]
    again = sorted({name for name in names if names.count(name) > 1})
    if again:
        raise InputError(f"{source}: two columns are named {again[0]!r}: rename or delete one of them")
    if not table.num_rows:
        raise InputError(f"{source} has columns but no rows: add rows")
    columns: dict[str, list[Raw]] = {}
    for name, column in zip(names, table.columns, strict=True):
        if pyarrow.types.is_nested(column.type):
            raise InputError(f"{source}: column {name!r} holds {column.type} values: write one value per cell")
        if not name.startswith("__index_level_"):
            columns[name] = _plain(column.to_pylist())
    return RawTable(columns, (Segment(source, 0, "row", range(1, table.num_rows + 1)),))


def _plain(cells: list[object]) -> list[Raw]:
    """The cells with dates and bytes as text, and decimals as numbers."""
    return [
        cell
        if cell is None or isinstance(cell, str | int | float | bool)
        else float(cell)
        if isinstance(cell, Decimal)
        else str(cell)
        for cell in cells
    ]
