"""Parquet tables, where pyarrow is installed."""

import io
from decimal import Decimal
from importlib.util import find_spec

from policies.errors import InputError
from tools.scores.readers.raw import Raw, RawTable, Segment

INSTALL = 'pip install "experiment-advisor[tables]"'


def read_parquet(data: bytes, source: str) -> RawTable:
    """The table in these bytes. Raises InputError without pyarrow, for a damaged file and for nested columns."""
    if find_spec("pyarrow") is None:
        raise InputError(f"{source}: reading Parquet needs pyarrow: {INSTALL}")
    import pyarrow
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(io.BytesIO(data)).read()
    except (pyarrow.ArrowException, OSError) as error:
        first = (str(error).splitlines() or ["damaged"])[0]
        raise InputError(f"{source}: no readable Parquet file: {first}") from None
    names = [str(name) for name in table.column_names]
    again = sorted({name for name in names if names.count(name) > 1})
    if again:
        raise InputError(f"{source}: two columns are named {again[0]!r}: rename or delete one of them")
    if not table.num_rows:
        raise InputError(f"{source} has columns and no row: nothing to read")
    columns: dict[str, list[Raw]] = {}
    for name, column in zip(names, table.columns, strict=True):
        if pyarrow.types.is_nested(column.type):
            raise InputError(f"{source}: column {name!r} holds {column.type} values: write one value a cell")
        if not name.startswith("__index_level_"):
            columns[name] = _plain(column.to_pylist())
    return RawTable(columns, (Segment(source, 0, "row", range(1, table.num_rows + 1)),))


def _plain(cells: list[object]) -> list[Raw]:
    """Dates and bytes as text, decimals as numbers."""
    return [
        cell
        if cell is None or isinstance(cell, str | int | float | bool)
        else float(cell)
        if isinstance(cell, Decimal)
        else str(cell)
        for cell in cells
    ]
