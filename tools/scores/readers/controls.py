"""The control of each arm, where the table has a column that says it."""

from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.factor import Factor
from tools.scores.readers.raw import RawTable


def check_controls(table: RawTable, column: str, arm: Factor[str], control: Factor[str]) -> None:
    """Raises InputError where the column names a control that no row of the table is an arm of."""
    for code, name in enumerate(control.values):
        if name and name not in arm.values:
            where = table.where(int(np.argmax(control.codes == code)))
            near = get_close_matches(name, arm.values, n=3, cutoff=0.6)
            hint = f"nearest are {', '.join(near)}" if near else f"the arms are {', '.join(arm.values[:5])}"
            raise InputError(
                f"{where}: the control {name!r} in column {column!r} is no arm of the table: {hint}; "
                f"leave the column out with --column ignore={column}"
            )


def controls_of(
    table: RawTable, rows: NDArray[np.intp], arm: Factor[str], control: Factor[str]
) -> tuple[dict[str, str], list[str]]:
    """Arm -> control over the rows of one cell, and notes on controls that this cell lacks.

    An arm without a control, or named as its own, is not in it. Raises InputError for an arm with two controls.
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
                f"{where}: {name!r} has the control {its!r} here and {found[name]!r} before: "
                "give it one, or separate the cells with --column group=NAME"
            )
        if its not in here:
            notes.append(f"{name!r} has the control {its!r}, which has no run in its cell: not compared")
    return {name: its for name, its in found.items() if its in here}, notes
