"""A column of repeated values, kept as small integers."""

from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)


class Factor(NamedTuple, Generic[Value]):
    """A column of M rows, each holding one of K distinct values."""

    codes: NDArray[np.int64]
    """(M,) index into `values`."""
    values: tuple[Value, ...]
    """(K,) distinct values, each used at least once."""

    @staticmethod
    def of(column: "Factor[Item] | Sequence[Item]", rows: int) -> "Factor[Item]":
        """Returns the column as a factor, values in order of first appearance; a single string fills every row.

        Raises ValueError unless the column has this many rows.
        """
        if isinstance(column, Factor):
            made = column
        elif isinstance(column, str):
            made = Factor(np.zeros(rows, dtype=np.int64), (column,))
        else:
            values = tuple(dict.fromkeys(column))
            at = {value: code for code, value in enumerate(values)}
            made = Factor(np.fromiter(map(at.__getitem__, column), np.int64, len(column)), values)
        if len(made.codes) != rows:
            raise ValueError(f"a column of {len(made.codes)} rows in a table of {rows}")
        return made

    def take(self, rows: NDArray[np.intp]) -> "Factor[Value]":
        """Returns the factor of these rows, with only the values they use, in order of first appearance."""
        used, first, codes = np.unique(self.codes[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Factor(rank[codes], tuple(self.values[code] for code in used[order].tolist()))

    def sorted(self) -> "Factor[Value]":
        """Returns the same column with its values in increasing order."""
        order = sorted(range(len(self.values)), key=lambda code: self.values[code])  # type: ignore[arg-type, return-value]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Factor(rank[self.codes], tuple(self.values[code] for code in order))
