"""Reads numbers as people and spreadsheets write them: decimal commas, thousands, percent signs, empty cells."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.factor import Factor
from tools.scores.readers.cells import SPREADSHEET_ERRORS, first_row, is_missing, shown
from tools.scores.readers.raw import Raw, RawTable

_HUGE = 1e300
DECIMALS = ("", "point", "comma")
_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")


class Numbers(NamedTuple):
    """Columns of numbers, with notes on their notation."""

    values: NDArray[np.float64]
    """(rows, columns), NaN if missing."""
    notes: tuple[str, ...]
    percent: bool
    """Whether every number has a percent sign."""


@dataclass
class _Written:
    """How the numbers of a table are written, with the cells in each notation."""

    commas: list[str] = field(default_factory=list)
    """Certainly decimal commas."""
    points: list[str] = field(default_factory=list)
    """Certainly decimal points."""
    either: list[str] = field(default_factory=list)
    """Decimal comma or thousands separator: 45,123."""


def is_numeric(cells: Iterable[Raw]) -> bool:
    """Returns whether most of the cells that are not missing look like numbers, in any notation."""
    given = [cell for cell in set(cells) if not is_missing(cell)]
    numeric = sum(
        not isinstance(cell, bool) and (not isinstance(cell, str) or _any_number(_bare(cell))) for cell in given
    )
    return bool(given) and numeric > len(given) / 2


def numbers(table: RawTable, columns: Sequence[str], decimal: str = "") -> Numbers:
    """Returns the columns as numbers, all in one notation.

    decimal: `point` or `comma` if the user stated it; otherwise a comma is decimal only if nothing else is possible.
    Raises InputError naming the first cell that is not a number or is ambiguous.
    """
    fast = [plain_numbers(table.columns[column], decimal) for column in columns]
    slow = {
        column: Factor.of(table.columns[column], table.rows)
        for column, values in zip(columns, fast, strict=True)
        if values is None
    }
    comma = _decides_comma(table, columns, slow, decimal)
    values = np.empty((table.rows, len(columns)))
    signs: list[bool] = []
    for place, (column, quick) in enumerate(zip(columns, fast, strict=True)):
        if quick is not None:
            values[:, place] = quick
            signs.append(False)
        else:
            cells = slow[column]
            read = [_number(table, column, cells, code, comma) for code in range(len(cells.values))]
            values[:, place] = np.array(read)[cells.codes]
            signs.append(_percent(table, column, cells))
    notes = []
    example = next((str(cell) for cells in slow.values() for cell in cells.values if "," in str(cell)), "")
    if comma and example:
        reading = f"{example.strip()!r} is {_value(_bare(example), comma=True):g}"
        notes.append(f"DECIMAL COMMAS: {reading}; add --decimal point if these are thousands")
    missing = int(np.isnan(values).sum())
    if missing:
        notes.append(f"{missing} of {values.size} scores are missing (empty or NaN); none are filled in")
    if any(signs):
        marked = [column for column, sign in zip(columns, signs, strict=True) if sign]
        notes.append(f"percent signs are read as score points: {', '.join(marked[:3])}")
    return Numbers(values, tuple(notes), bool(signs) and all(signs))


def counts(table: RawTable, column: str) -> NDArray[np.int64]:
    """Returns the column as numbers of questions, -1 if missing. Raises InputError unless they are counts above 0."""
    cells = Factor.of(table.columns[column], table.rows)
    read = []
    for code, cell in enumerate(cells.values):
        count = _count(cell)
        if count is None:
            place = table.where(first_row(cells, code))
            raise InputError(
                f"{place}: {shown(cell)} in column {column!r} is not a number of questions: use a whole number"
            )
        read.append(count)
    return np.array(read, dtype=np.int64)[cells.codes]


def plain_numbers(cells: list[Raw], decimal: str = "") -> NDArray[np.float64] | None:
    """Returns the cells as numbers if each is present and in plain notation; None if one needs closer parsing."""
    kinds = set(map(type, cells))
    if bool in kinds or (decimal == "comma" and _first_point(cells)):
        return None
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    underscores = str in kinds and "_" in "".join(map(str, cells))  # float("1_000") is 1000.0
    return None if underscores or not np.isfinite(values).all() else values


def _first_point(cells: Iterable[Raw]) -> str:
    """The first text with a point in it; empty if there is none."""
    return next((cell for cell in cells if isinstance(cell, str) and "." in cell), "")


def _decides_comma(table: RawTable, columns: Sequence[str], slow: dict[str, Factor[Raw]], decimal: str) -> bool:
    """Whether commas are decimal. Raises InputError if the table is ambiguous."""
    if decimal not in DECIMALS:
        raise InputError(f"unknown decimal mark {decimal!r}: use point or comma")
    if decimal:
        return decimal == "comma"
    written = _Written()
    for cell in (cell for cells in slow.values() for cell in cells.values if isinstance(cell, str)):
        bare = _bare(cell)
        if _EITHER.fullmatch(bare):
            written.either.append(cell.strip())
        elif _COMMA.fullmatch(bare) or ("," in bare and _GROUPED_BY_POINT.fullmatch(bare)):
            written.commas.append(cell.strip())
        elif "." in bare and (_POINT.fullmatch(bare) or _GROUPED.fullmatch(bare)):
            written.points.append(cell.strip())
    if not written.commas and not written.either:
        return False
    plain = (_first_point(table.columns[column]) for column in columns if column not in slow)
    written.points += [cell for cell in plain if cell]
    if written.points:
        raise InputError(
            f"decimal commas and decimal points in one table ({(written.commas + written.either)[0]!r} and "
            f"{written.points[0]!r}): use one notation for all numbers"
        )
    if not written.commas:
        one = written.either[0]
        raise InputError(
            f"{one!r} could be {_value(_bare(one), comma=True):g} or {_value(_bare(one), comma=False):g}: "
            "choose with --decimal comma or --decimal point"
        )
    return True


def _number(table: RawTable, column: str, cells: Factor[Raw], code: int, comma: bool) -> float:
    cell = cells.values[code]
    if is_missing(cell):
        return math.nan
    value = _value(_bare(cell), comma) if isinstance(cell, str) else _plain(cell)
    if math.isnan(value):
        where = table.where(first_row(cells, code))
        what = "is not a number: correct it"
        if str(cell).strip().upper() in SPREADSHEET_ERRORS:
            what = "is a spreadsheet error: correct it, or leave the cell empty if there is no score"
        raise InputError(f"{where}: {shown(cell)} in column {column!r} {what}")
    return value


def _plain(cell: Raw) -> float:
    """A cell that is not text as a number, NaN if it is not a number; `true` is not a score."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return math.nan
    return float(cell) if abs(cell) < _HUGE else math.copysign(math.inf, cell)


def _value(bare: str, comma: bool) -> float:
    """The number, NaN if it is not a number in this notation."""
    if comma and _GROUPED_BY_POINT.fullmatch(bare) and ("," in bare or bare.count(".") > 1):
        bare = bare.replace(".", "")
    if comma and _COMMA.fullmatch(bare):
        return float(bare.replace(",", "."))
    if not comma and _GROUPED.fullmatch(bare):
        bare = bare.replace(",", "")
    if _POINT.fullmatch(bare) and not (comma and "." in bare):
        return float(bare)
    return math.nan


def _bare(cell: str) -> str:
    """The text without spaces (thin spaces inside too) and without a percent sign."""
    text = cell.strip().replace("\u00a0", "").replace("\u202f", "").replace("\u2212", "-")
    return text.removesuffix("%").rstrip()


def _any_number(bare: str) -> bool:
    return any(form.fullmatch(bare) for form in (_POINT, _COMMA, _GROUPED, _GROUPED_BY_POINT))


def _percent(table: RawTable, column: str, cells: Factor[Raw]) -> bool:
    """Whether the column's numbers have percent signs. Raises InputError if only some do."""
    given = [code for code, cell in enumerate(cells.values) if not is_missing(cell)]
    signed = [code for code in given if str(cells.values[code]).strip().endswith("%")]
    if signed and len(signed) < len(given):
        plain = next(code for code in given if code not in signed)
        where = table.where(first_row(cells, plain))
        raise InputError(
            f"{where}: {shown(cells.values[plain])} in column {column!r} has no percent sign "
            f"but {shown(cells.values[signed[0]])} has one: write all the same way"
        )
    return bool(signed)


def _count(cell: Raw) -> int | None:
    if is_missing(cell):
        return -1
    if isinstance(cell, str):
        bare = _bare(cell)
        if re.fullmatch(r"\d{1,18}(?:\.0*)?", bare):
            cell = float(bare) if "." in bare else int(bare)
        elif re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3}){1,5}", bare):
            cell = int(bare.replace(",", ""))
    if isinstance(cell, bool) or not isinstance(cell, int | float) or cell != cell // 1 or not 0 < cell < 2**62:
        return None
    return int(cell)
