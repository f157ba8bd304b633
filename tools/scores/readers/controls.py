"""The control of each arm, if the table has a control column."""

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.factor import Factor
from tools.scores.readers.raw import RawTable
from training.support.nearest import nearest


def check_controls(table: RawTable, column: str, arm: Factor[str], control: Factor[str]) -> None:
    """Raises InputError if the column names a control that is not an arm of the table."""
    for code, name in enumerate(control.values):
        if name and name not in arm.values:
            where = table.where(int(np.argmax(control.codes == code)))
            near = nearest(name, arm.values)
            hint = f"did you mean {' or '.join(near)}" if near else f"the arms are {', '.join(arm.values[:5])}"
            raise InputError(
                f"{where}: the control {name!r} in column {column!r} is not an arm of the table; {hint}; "
                f"to ignore the column: --column ignore={column}"
            )


def controls_of(
    table: RawTable, rows: NDArray[np.intp], arm: Factor[str], control: Factor[str]
) -> tuple[dict[str, str], list[str]]:
    """Returns arm -> control over the rows of one cell, and notes on controls that are not in this cell.

    An arm without a control, or with itself as control, is omitted. Raises InputError for an arm with two controls.
    """
    width = len(control.values)
    pairs, first = np.unique(arm.codes[rows] * width + control.codes[rows], return_index=True)
    here = {arm.values[code] for code in np.unique(arm.codes[rows]).tolist()}
    found: dict[str, str] = {}
    notes: list[str] = []
    for place in np.argsort(first).tolist():
        name, its = arm.values[int(pairs[place]) // width], control.values[int(pairs[place]) % width]
        if not its or its == name:
            continue
        if found.setdefault(name, its) != its:
            where = table.where(int(rows[first[place]]))
            raise InputError(
                f"{where}: {name!r} has the control {its!r} here but {found[name]!r} before: "
                "give it one, or separate the cells with --column group=NAME"
            )
        if its not in here:
            notes.append(f"{name!r} is not compared: its control {its!r} has no run in its cell")
    return {name: its for name, its in found.items() if its in here}, notes
