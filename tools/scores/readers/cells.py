"""A column of raw cells read as text or as seeds; an unreadable cell is named with its place."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from policies.errors import InputError
from tools.plain_text import one_line
from tools.scores.factor import Factor
from tools.scores.readers.raw import Raw, RawTable

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
    """Seeds by row, and what to say about how they were written."""

    factor: Factor[int]
    notes: tuple[str, ...]


def is_missing(cell: Raw) -> bool:
    """Whether the cell says that there is no value."""
    if isinstance(cell, str):
        return cell.strip().casefold() in MISSING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def text(cell: Raw) -> str:
    """The cell as text, runs of spaces as one; a whole number without its decimals; empty where missing."""
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return " ".join(str(cell).split())


def shown(cell: Raw, limit: int = 60) -> str:
    """The cell as an error line shows it: quoted where it is text, cut where it is long."""
    written = repr(cell.strip() if isinstance(cell, str) else cell)
    return written if len(written) <= limit else f"{written[: limit - 3]}..."


def texts(table: RawTable, column: str, required: bool = False) -> Factor[str]:
    """The column as text.

    Raises InputError where a required cell is empty or says that it is, for a spreadsheet's error value, and for
    characters that would steer a terminal.
    """
    cells = Factor.of(table.columns[column], table.rows)
    read = [text(cell) for cell in cells.values]
    for code, value in enumerate(read):
        fault = _text_fault(cells.values[code], value, column, required)
        if fault:
            raise InputError(f"{table.where(first_row(cells, code))}: {fault}")
    return recode(cells, read)


def _text_fault(cell: Raw, value: str, column: str, required: bool) -> str:
    """Why the cell, read as this value, is no text; empty when it is."""
    if value.upper() in SPREADSHEET_ERRORS:
        return f"{value!r} in column {column!r} is a spreadsheet error: fill it in"
    if one_line(value) != value:
        return f"{shown(cell)} in column {column!r} holds control characters: delete them"
    if value or not required:
        return ""
    if cell is None or not str(cell).strip():
        return f"column {column!r} is empty: fill it in"
    return f"{shown(cell)} in column {column!r} is read as a missing value: write another name"


def seeds(table: RawTable, column: str) -> Seeds:
    """The column as seeds. Raises InputError naming the first cell that is no whole number."""
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
    """The first row that has this code."""
    return int(np.argmax(cells.codes == code))


def recode(cells: Factor[Raw], values: Sequence[Value]) -> Factor[Value]:
    """The factor with other values in place of its own; values that became equal share a code."""
    made = Factor.of(list(values), len(values))
    return Factor(made.codes[cells.codes], made.values)


def _seed(cell: Raw) -> int:
    if isinstance(cell, str):
        found = _SEED.fullmatch(cell.strip())
        return int(found["digits"]) if found else -1
    return int(cell) if cell is not None else -1


def _seed_fault(cell: Raw) -> str:
    """Why the cell is no seed; empty when it is one."""
    if is_missing(cell):
        return "is no seed: every row needs one"
    if isinstance(cell, bool):
        return "is no seed: use a whole number"
    if isinstance(cell, float) and not cell.is_integer():
        return "is no seed: use a whole number"
    if not isinstance(cell, str):
        return "" if cell is not None and cell >= 0 else "is no seed: use a whole number of 0 or more"
    written = cell.strip()
    if _SEED.fullmatch(written):
        return ""
    if re.fullmatch(r"\d(?:[.,]\d+)?e\+?\d+", written, re.IGNORECASE):
        return "has lost digits in a spreadsheet: format the column as text and export again"
    if _DATE.fullmatch(written) and (written[0].isdigit() or written[:3].casefold() in _MONTHS):
        return "is a date that a spreadsheet made of a seed: format the column as text and export again"
    if _NEGATIVE.fullmatch(written):
        return "is no seed: use a whole number of 0 or more"
    return "is no seed: use a whole number"


def _padded(cell: Raw, seed: int) -> bool:
    """Whether a seed was written in another way than its number: `seed-3`, `007`; `3.0` is no other way."""
    return isinstance(cell, str) and cell.strip().split(".")[0] != str(seed)
