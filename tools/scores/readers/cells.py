"""Reads a column of raw cells as text or as seeds; an error names the cell and its place."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from policies.errors import InputError
from tools.scores.factor import Factor
from tools.scores.readers.raw import Raw, RawTable
from tools.text.plain_text import one_line

Value = TypeVar("Value", str, int)

MISSING = frozenset({"", "na", "n/a", "n.a.", "#n/a", "#na", "nan", "null", "none", "-", "--", "–", "—"})
"""Spellings of a missing cell, lower case."""
SPREADSHEET_ERRORS = ("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
_SEED = re.compile(r"(?:(?:seed|s)[\s_\-=:#]*|#)?(?P<digits>\d{1,60})(?:\.0*)?", re.IGNORECASE)
_NEGATIVE = re.compile(r"[-\u2212\u2013]\s*\d+(?:\.0*)?")
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\d{1,2}[-/ ]?[a-z]{3,9}(?:[-/ ]\d+)?|[a-z]{3,9}[-/ ]\d+", re.IGNORECASE
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class Seeds(NamedTuple):
    """Seeds by row, with notes on their notation."""

    factor: Factor[int]
    notes: tuple[str, ...]


def is_missing(cell: Raw) -> bool:
    """Returns whether the cell stands for a missing value."""
    if isinstance(cell, str):
        return cell.strip().casefold() in MISSING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def text(cell: Raw) -> str:
    """Returns the cell as text, runs of spaces as one; a whole number without decimals; empty if missing."""
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).split())


def shown(cell: Raw, limit: int = 60) -> str:
    """Returns the cell as an error line shows it: quoted if it is text, truncated if it is long."""
    written = repr(cell.strip() if isinstance(cell, str) else cell)
    return written if len(written) <= limit else f"{written[: limit - 3]}..."


def texts(table: RawTable, column: str, required: bool = False) -> Factor[str]:
    """Returns the column as text.

    Raises InputError if a required cell is empty or marked as missing, for a spreadsheet's error value, and for control
    characters.
    """
    cells = Factor.of(table.columns[column], table.rows)
    read = [text(cell) for cell in cells.values]
    for code, value in enumerate(read):
        fault = _text_fault(cells.values[code], value, column, required)
        if fault:
            raise InputError(f"{table.where(first_row(cells, code))}: {fault}")
    return recode(cells, read)


def _text_fault(cell: Raw, value: str, column: str, required: bool) -> str:
    """Why the cell, read as this value, cannot be used as text; empty if it can."""
    if value.upper() in SPREADSHEET_ERRORS:
        return f"{value!r} in column {column!r} is a spreadsheet error: fill it in"
    if one_line(value) != value:
        return f"{shown(cell)} in column {column!r} has control characters: delete them"
    if value or not required:
        return ""
    if cell is None or not str(cell).strip():
        return f"column {column!r} is empty: fill it in"
    return f"{shown(cell)} in column {column!r} is read as a missing value: write another name"


def seeds(table: RawTable, column: str) -> Seeds:
    """Returns the column as seeds. Raises InputError naming the first cell that is not a whole number."""
    cells = Factor.of(table.columns[column], table.rows)
    read: list[int] = []
    for code, cell in enumerate(cells.values):
        fault = _seed_fault(cell)
        if fault:
            row = first_row(cells, code)
            raise InputError(f"{table.where(row)}: {shown(cell)} in column {column!r} {fault}")
        read.append(_seed(cell))
    notes = []
    padded = [str(cell).strip() for cell, seed in zip(cells.values, read, strict=True) if _padded(cell, seed)]
    if padded:
        notes.append(f"seeds were read as whole numbers: {padded[0]!r} is seed {_seed(padded[0])}")
    return Seeds(recode(cells, read), tuple(notes))


def first_row(cells: Factor[Raw], code: int) -> int:
    """Returns the first row that has this code."""
    return int(np.argmax(cells.codes == code))


def recode(cells: Factor[Raw], values: Sequence[Value]) -> Factor[Value]:
    """Returns the factor with its values replaced; values that became equal share a code."""
    made = Factor.of(list(values), len(values))
    return Factor(made.codes[cells.codes], made.values)


def _seed(cell: Raw) -> int:
    if isinstance(cell, str):
        found = _SEED.fullmatch(cell.strip())
        return int(found["digits"]) if found else -1
    return int(cell) if cell is not None else -1


def _seed_fault(cell: Raw) -> str:
    """Why the cell is not a seed; empty if it is one."""
    if is_missing(cell):
        return "is not a seed: every row needs one"
    if isinstance(cell, bool):
        return "is not a seed: use a whole number"
    if isinstance(cell, float) and not cell.is_integer():
        return "is not a seed: use a whole number"
    if not isinstance(cell, str):
        return "" if cell is not None and cell >= 0 else "is not a seed: use a whole number of 0 or more"
    written = cell.strip()
    if _SEED.fullmatch(written):
        return ""
    if re.fullmatch(r"\d(?:[.,]\d+)?e\+?\d+", written, re.IGNORECASE):
        return "lost digits in a spreadsheet: format the column as text and export it again"
    if _DATE.fullmatch(written) and (written[0].isdigit() or written[:3].casefold() in _MONTHS):
        return "is a seed that a spreadsheet turned into a date: format the column as text and export it again"
    if _NEGATIVE.fullmatch(written):
        return "is not a seed: use a whole number of 0 or more"
    return "is not a seed: use a whole number"


def _padded(cell: Raw, seed: int) -> bool:
    """Whether a seed was not written as its plain number: `seed-3`, `007`; `3.0` counts as plain."""
    return isinstance(cell, str) and cell.strip().split(".")[0] != str(seed)
