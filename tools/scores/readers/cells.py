"""One column of raw cells read as text, as seeds or as numbers; an unreadable cell is named with its place."""

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.factor import Factor
from tools.scores.readers.raw import Raw, RawTable

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", "—"})
"""Spellings of a missing cell, lower case."""
_SEED = re.compile(r"(?:seed|s)?[\s_\-=:]*(-?\d+)(?:\.0*)?", re.IGNORECASE)


def is_missing(cell: Raw) -> bool:
    """Whether the cell says that there is no value."""
    if isinstance(cell, str):
        return cell.strip().casefold() in MISSING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def text(cell: Raw) -> str:
    """The cell as text, without spaces around it; a whole number without its decimals; empty where missing."""
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def texts(table: RawTable, column: str, required: bool = False) -> Factor[str]:
    """The column as text. Raises InputError where a required cell is empty."""
    cells = Factor.of(table.columns[column], table.rows)
    read = [text(cell) for cell in cells.values]
    if required and "" in read:
        row = first_row(cells, [code for code, value in enumerate(read) if not value])
        raise InputError(f"{table.where(row)}: column {column!r} is empty: fill it in")
    return recode(cells, read)


def seeds(table: RawTable, column: str) -> Factor[int]:
    """The column as seeds. Raises InputError naming the first cell that is no whole number."""
    return _converted(table, column, _seed, "is no seed: use a whole number")


def numbers(table: RawTable, column: str) -> NDArray[np.float64]:
    """The column as numbers, NaN where missing. Raises InputError naming the first cell that is no number."""
    read = _converted(table, column, number, "is no number")
    return np.asarray(read.values, dtype=np.float64)[read.codes]


def number(cell: Raw) -> float | None:
    """A cell as a number, NaN where missing, None where it is none."""
    if is_missing(cell):
        return math.nan
    if isinstance(cell, bool):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except ValueError:
        return None


def first_row(cells: Factor[Raw], codes: Sequence[int]) -> int:
    """The first row that has one of these codes."""
    return int(np.argmax(np.isin(cells.codes, codes)))


def recode(cells: "Factor[Raw]", values: Sequence[str]) -> Factor[str]:
    """The factor with other values in place of its own; values that became equal share a code."""
    made = Factor.of(list(values), len(values))
    return Factor(made.codes[cells.codes], made.values)


def _seed(cell: Raw) -> int | None:
    if isinstance(cell, bool) or is_missing(cell):
        return None
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else None
    found = _SEED.fullmatch(str(cell).strip())
    return int(found.group(1)) if found else None


def _converted(table: RawTable, column: str, convert: Callable[[Raw], object], fault: str) -> Factor:  # type: ignore[type-arg]
    cells: Factor[Raw] = Factor.of(table.columns[column], table.rows)
    read = [convert(cell) for cell in cells.values]
    wrong = [code for code, value in enumerate(read) if value is None]
    if wrong:
        row = first_row(cells, wrong)
        raise InputError(f"{table.where(row)}: {table.columns[column][row]!r} in column {column!r} {fault}")
    made = Factor.of(read, len(read))
    return Factor(made.codes[cells.codes], made.values)
