"""A column of repeated values, kept as small integers."""

from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)


class Factor(NamedTuple, Generic[Value]):
    """M rows, each one of K distinct values."""

    codes: NDArray[np.int64]
    """(M,) index into `values`."""
    values: tuple[Value, ...]
    """(K,) distinct, each used at least once."""

    @staticmethod
    def of(column: "Factor[Item] | Sequence[Item]", rows: int) -> "Factor[Item]":
        """The column as a factor, values in the order in which they first appear; a text stands for every row.

        Raises ValueError unless it has this many rows.
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
        """The factor of these rows, with the values that they use, in the order in which they first appear."""
        used, first, codes = np.unique(self.codes[rows], return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Factor(rank[codes], tuple(self.values[code] for code in used[order].tolist()))

    def sorted(self) -> "Factor[Value]":
        """The same column with its values in increasing order."""
        order = sorted(range(len(self.values)), key=lambda code: self.values[code])  # type: ignore[arg-type, return-value]
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Factor(rank[self.codes], tuple(self.values[code] for code in order))
