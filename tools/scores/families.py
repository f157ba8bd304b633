"""Which arms are compared: a family is the set of treatments that share one control in one cell of a table.

Its size k sets the level of every interval in it, so it is determined from names alone, before any score is read.
Pairs named by the user come first; otherwise the table's control column; otherwise the default control of a known
policy; otherwise the one arm that is called a baseline. Nothing is guessed beyond that.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

from policies.errors import InputError
from tools.scores.book import ScoreCell
from tools.scores.table import ScoreTable
from training.support.nearest import nearest

REFERENCES = ("baseline", "control", "uniform", "reference")
"""An arm with one of these names, in any case, is the control if nothing else determines it."""
SHOWN = 12
"""The most arms that an error lists."""

Group = Mapping[str, str | int | float | bool]


class Family(NamedTuple):
    """The treatments that are compared with one control in one cell."""

    group: Group
    """Column -> value that separates this cell from the others; empty for a single cell."""
    table: ScoreTable
    control: str
    treatments: tuple[str, ...]

    @property
    def size(self) -> int:
        """k, the number of treatments."""
        return len(self.treatments)


class Pairing(NamedTuple):
    """All families of a table, in its order, with notes on how they were found."""

    families: tuple[Family, ...]
    notes: tuple[str, ...]


def find_families(cells: Sequence[ScoreCell], treatments: Sequence[str] = (), control: str | None = None) -> Pairing:
    """Returns the requested families, or all families of the table.

    treatments, control: names of arms; either may be omitted. Treatments without a control get their default control;
    a control without treatments is compared with every other arm of each cell that has it. Raises InputError, listing
    the arms and what to type, for an unknown name and if no pair is found.
    """
    arms = tuple(dict.fromkeys(arm for cell in cells for arm in cell.table.arms))
    wanted = tuple(dict.fromkeys(_arm(name, arms, "--treatment") for name in treatments))
    against = None if control is None else _arm(control, arms, "--control")
    if against in wanted:
        raise InputError(f"{against!r} is named as treatment and as control; compare it with another arm")
    found: list[Family] = []
    notes: dict[str, None] = {}
    for cell in cells:
        chosen = [arm for arm in cell.table.arms if not wanted or arm in wanted]
        pairs = dict(_pairs(cell, chosen, against, named=bool(wanted), notes=notes))
        by_control: dict[str, list[str]] = {}
        for arm, its in pairs.items():
            by_control.setdefault(its, []).append(arm)
        found += [Family(cell.group, cell.table, one, tuple(its)) for one, its in by_control.items()]
        if wanted:
            notes |= dict.fromkeys(_unnamed(cell, by_control, against))
    if not found:
        raise InputError(_nothing_found(arms, wanted, against))
    paired = {arm for family in found for arm in family.treatments}
    missed = [arm for arm in wanted if arm not in paired]
    if missed:
        raise InputError(f"no control found for {missed[0]!r}: name one with --control; the arms are {_list(arms)}")
    return Pairing(tuple(found), tuple(notes))


def _pairs(
    cell: ScoreCell, chosen: Sequence[str], against: str | None, *, named: bool, notes: dict[str, None]
) -> Iterator[tuple[str, str]]:
    """(treatment, control) of one cell."""
    if against is not None:
        if against in cell.table.arms:
            yield from ((arm, against) for arm in chosen if arm != against)
        elif chosen:
            notes[f"{_where(cell)} has no arm {against}, so nothing is compared there"] = None
        return
    present, reference = set(cell.table.arms), _reference(cell.table.arms)
    own = {arm: _own_control(cell.controls, arm, present) for arm in cell.table.arms}
    serving = set(own.values())
    for arm in chosen:
        control = own[arm]
        if control is None and arm in cell.controls:
            if cell.controls[arm] != arm:
                notes[f"{_where(cell)} has no arm {cell.controls[arm]}, the control of {arm}: {arm} is omitted"] = None
            continue
        if control is None and (named or arm not in serving):
            control = reference
            if control in (None, arm):
                if arm not in serving and control != arm:
                    notes[f"{_where(cell)} has no control for {arm}: {arm} is omitted; name one with --control"] = None
                continue
            if usual := _usual_control(arm):
                notes[f"{arm} is compared with {control}: its default control {usual} is not in {_where(cell)}"] = None
        if control is not None:
            yield arm, control


def _unnamed(cell: ScoreCell, by_control: Mapping[str, Sequence[str]], against: str | None) -> Iterator[str]:
    """Notes that k counts only the named treatments if the cell has more with that control.

    For a named control these are all arms to which the table does not assign another control.
    """
    present = set(cell.table.arms)
    free = [arm for arm in cell.table.arms if _own_control(cell.controls, arm, present) in (None, against)]
    for control, named in by_control.items():
        pairs = _pairs(cell, cell.table.arms if against is None else free, against, named=False, notes={})
        all_of_it = [arm for arm, its in pairs if its == control]
        others = len(set(all_of_it) - set(named))
        if others:
            held = "one other treatment" if others == 1 else f"{others} other treatments"
            yield (
                f"{_where(cell)} has {held} for {control}, not counted in the family (k = {len(named)}): correct only "
                "if the named treatments were chosen before any score was seen; otherwise omit --treatment"
            )


def _own_control(controls: Mapping[str, str], arm: str, present: Set[str]) -> str | None:
    """The control by the table's control column, else the policy's default; None if absent or the arm itself."""
    control = controls.get(arm) or _usual_control(arm)
    return control if control != arm and control in present else None


def _reference(arms: Sequence[str]) -> str | None:
    """The one arm that is called a baseline."""
    called = [one for one in arms if one.lower() in REFERENCES]
    return called[0] if len(called) == 1 else None


@cache
def _usual_control(arm: str) -> str | None:
    """The default control of a known policy that is a treatment; None for any other arm."""
    from policies import registry

    if arm.lower() not in registry.names():
        return None
    policy = registry.get(arm.lower())
    return None if policy.family == "control" else policy.control


def _arm(name: str, arms: Sequence[str], option: str) -> str:
    """The arm of that name, in any case."""
    if name in arms:
        return name
    alike = [arm for arm in arms if arm.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    near = nearest(name, arms)
    hint = f"did you mean {' or '.join(near)}" if near else f"the arms are {_list(arms)}"
    raise InputError(f"{option} {name!r} is not an arm of this table; {hint}")


def _nothing_found(arms: Sequence[str], wanted: Sequence[str], against: str | None) -> str:
    if len(arms) == 1:
        return (
            f"the table has one arm, {arms[0]!r}: a comparison needs two; check which column names the arms (--column)"
        )
    if against is not None:
        asked = f" and {_list(wanted)}" if wanted else ""
        return f"no cell of the table has {against}{asked} together; the arms are {_list(arms)}"
    return f"the control is unknown: add --control ARM; the arms are {_list(arms)}"


def _where(cell: ScoreCell) -> str:
    return (
        f"the cell {', '.join(f'{key} = {value}' for key, value in cell.group.items())}" if cell.group else "the table"
    )


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
