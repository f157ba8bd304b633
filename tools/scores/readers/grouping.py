"""The columns that separate cells: runs are compared only with runs of the same campaign, model, regime ..."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.scores.columns import GROUPS, normal
from tools.scores.factor import Factor

Codes = NDArray[np.int64]
AnyFactor = Factor[str] | Factor[int]
_COUNTABLE = 1_000_000


class Grouping(NamedTuple):
    """The cell of each row, and the columns that separate cells."""

    cell: Codes
    """(rows,) cells numbered in order of first appearance."""
    columns: tuple[str, ...]
    """The columns that separate cells."""
    about: tuple[str, ...]
    """Other columns that describe cells but do not separate them."""
    notes: tuple[str, ...]


def group(candidates: Mapping[str, Factor[str]], keys: Sequence[AnyFactor], named: Sequence[str] | None) -> Grouping:
    """Finds the columns that separate cells.

    candidates: the columns without another role; keys: what identifies a row within a cell, arm first (arm, seed, and
    the benchmark in a long table); named: the columns that the user named, None for none.

    A column with a usual name (model, campaign ...) separates cells unless others already do so, or unless every cell
    would have a single arm. Any other column separates cells only if rows cannot be distinguished without it and each
    of its values has two arms: a run's id or a remark never does.
    """
    rows = len(keys[0].codes)
    arm = keys[0]
    notes: list[str] = []
    about: tuple[str, ...] = ()
    if named is not None:
        kept = tuple(name for name in candidates if name in named)
    else:
        usual = sorted((name for name in candidates if normal(name) in GROUPS), key=lambda n: GROUPS.index(normal(n)))
        kept, notes = _usual(candidates, usual, arm, rows)
        kept = _resolving(candidates, kept, [name for name in candidates if name not in usual], keys, rows)
        about = tuple(name for name in candidates if name in usual and name not in kept)
    cell = combined([candidates[name] for name in kept], rows)
    about = tuple(name for name in about if _constant(cell, candidates[name].codes))
    ordered = tuple(name for name in candidates if name in kept)
    for name in ordered:
        column = candidates[name]
        blank = int((column.codes == column.values.index("")).sum()) if "" in column.values else 0
        if blank:
            notes.append(f"column {name!r} separates cells but is empty in {blank} rows, which form separate cells")
    unused = [name for name in candidates if name not in kept and name not in about]
    if unused:
        notes.append(f"columns not used: {', '.join(unused)}; to separate cells by one: --column group={unused[0]}")
    return Grouping(cell, ordered, about, tuple(notes))


def combined(factors: Sequence[AnyFactor], rows: int) -> Codes:
    """Returns (rows,) one number for each combination that occurs, in order of first appearance."""
    code = np.zeros(rows, dtype=np.int64)
    for factor in factors:
        code = _renumbered(code * len(factor.values) + factor.codes)
    first = np.empty(int(code.max()) + 1, dtype=np.int64)
    first[code[::-1]] = np.arange(rows)[::-1]
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[code]


def _renumbered(code: Codes) -> Codes:
    """The same numbers without gaps. Counting is many times faster than sorting if it fits into memory."""
    if code.max() >= max(_COUNTABLE, 4 * len(code)):
        return np.unique(code, return_inverse=True)[1]
    used = np.zeros(int(code.max()) + 1, dtype=bool)
    used[code] = True
    return (np.cumsum(used) - 1)[code]


def _usual(
    candidates: Mapping[str, Factor[str]], usual: Sequence[str], arm: AnyFactor, rows: int
) -> tuple[tuple[str, ...], list[str]]:
    """The fewest columns with usual names that separate the same cells as all of them."""
    kept: list[str] = []
    notes: list[str] = []
    for name in usual:
        before = combined([candidates[one] for one in kept], rows)
        after = combined([candidates[one] for one in (*kept, name)], rows)
        if after.max() == before.max():
            continue
        if _most_arms(before, arm) > 1 and _most_arms(after, arm) == 1:
            shown = _by_arm(candidates[name], arm)
            notes.append(f"{name!r} is different in every arm, so it does not separate cells: {shown}")
            continue
        kept.append(name)
    cells = combined([candidates[one] for one in kept], rows).max()
    for name in reversed(usual):
        fewer = [one for one in kept if one != name]
        if name in kept and combined([candidates[one] for one in fewer], rows).max() == cells:
            kept = fewer
    return tuple(kept), notes


def _resolving(
    candidates: Mapping[str, Factor[str]],
    kept: tuple[str, ...],
    unusual: Sequence[str],
    keys: Sequence[AnyFactor],
    rows: int,
) -> tuple[str, ...]:
    """Adds columns with other names if rows cannot be distinguished without them."""
    for name in unusual:
        now = [candidates[one] for one in kept]
        distinct = combined([*now, *keys], rows).max() + 1
        if distinct == rows:
            break
        column = candidates[name]
        told = combined([*now, column, *keys], rows).max() + 1
        if told > distinct and _fewest_arms(column.codes, keys[0]) > 1:
            kept = (*kept, name)
    return kept


def _arms(code: Codes, arm: AnyFactor) -> Codes:
    """Number of arms in each cell."""
    pairs = np.unique(code * len(arm.values) + arm.codes)
    return np.bincount(pairs // len(arm.values)).astype(np.int64)


def _most_arms(code: Codes, arm: AnyFactor) -> int:
    return int(_arms(code, arm).max())


def _fewest_arms(code: Codes, arm: AnyFactor) -> int:
    return int(_arms(code, arm).min())


def _constant(cell: Codes, codes: Codes) -> bool:
    """Whether the column has one value in every cell."""
    return len(np.unique(cell * (int(codes.max()) + 1) + codes)) == int(cell.max()) + 1


def _by_arm(column: Factor[str], arm: AnyFactor) -> str:
    shown = [f"{name} {column.values[column.codes[arm.codes == code][0]]}" for code, name in enumerate(arm.values)]
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
