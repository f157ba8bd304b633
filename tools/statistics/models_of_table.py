"""Which comparisons of a table are the same treatment on several models, or on the values of any other column."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from policies.errors import InputError
from tools.statistics.across_models import AcrossModels, across_models
from tools.statistics.verdict_model import Comparison

Value = str | int | float | bool
Cells = Sequence[tuple[Mapping[str, Value], Sequence[Comparison]]]


class Followed(NamedTuple):
    """One treatment over the values of a column."""

    group: dict[str, Value]
    """The other columns that separate cells, alike in all of them."""
    across: AcrossModels


def models_of(cells: Cells, by: str) -> tuple[Followed, ...]:
    """Each treatment and control over the values of the column `by`, the other columns of the group being alike.

    cells: group and comparisons of each family. A treatment that is compared on one value only is left out. Raises
    InputError where no cell is told apart by that column.
    """
    columns = tuple(dict.fromkeys(name for group, _ in cells for name in group))
    if by not in columns:
        told = f"cells are told apart by {', '.join(columns)}" if columns else "the table is one cell"
        raise InputError(f"--by {by!r} separates no cells: {told}; name the column with --column group={by}")
    found: dict[tuple[object, ...], dict[str, Comparison]] = {}
    groups: dict[tuple[object, ...], dict[str, Value]] = {}
    for group, comparisons in cells:
        rest = {name: value for name, value in group.items() if name != by}
        for one in comparisons if by in group else ():
            key = (*rest.items(), one.treatment, one.control)
            groups[key] = rest
            found.setdefault(key, {})[str(group[by])] = one
    return tuple(Followed(groups[key], across_models(models)) for key, models in found.items() if len(models) > 1)
