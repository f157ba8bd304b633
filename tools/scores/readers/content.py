"""The content of a raw table: every role, read from wide and long tables alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.benchmark_names import benchmark_id, renamed
from tools.scores.columns import ALIASES, LONG_ROLES, find_roles, short, split
from tools.scores.factor import Factor
from tools.scores.readers import cells
from tools.scores.readers.numerals import counts, numbers
from tools.scores.readers.raw import RawTable
from tools.scores.readers.units import in_points
from tools.scores.readers.wide import wide_columns


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a table; a row has W benchmarks in a wide table, one in a long table (W = 1)."""

    raw: RawTable
    roles: dict[str, str]
    """Role -> column."""
    others: tuple[str, ...]
    """The columns without a role, which may separate cells."""
    notes: tuple[str, ...]
    long: bool
    arm: Factor[str]
    seed: Factor[int]
    benchmark: Factor[str]
    """By row in a long table; by column, (W,), in a wide one."""
    scores: NDArray[np.float64]
    """(rows, W) in points, NaN if missing."""
    questions: NDArray[np.int64]
    """(rows, W), -1 if not recorded."""
    domain: Factor[str]
    suite: Factor[str]
    harness: Factor[str]
    percent_stated: bool


class _Columns(NamedTuple):
    """The columns that hold the scores."""

    benchmark: Factor[str]
    scores: tuple[str, ...]
    questions: tuple[str | None, ...]
    others: tuple[str, ...]
    notes: tuple[str, ...]


def read_content(raw: RawTable, columns: Mapping[str, str], unit: str, decimal: str) -> Content:
    """Reads every role of the table; the arguments are those of `read_scores`.

    Raises InputError for a required role without a column, and for a cell that does not fit its role.
    """
    roles = _roles(raw, columns)
    arm, seeds = cells.texts(raw, roles["arm"], required=True), cells.seeds(raw, roles["seed"])
    where = _long(raw, roles) if "benchmark" in roles else _wide(raw, roles, arm, seeds.factor)
    read = numbers(raw, where.scores, decimal)
    points = in_points(read.values, unit, read.percent)
    unknown = np.full(raw.rows, -1, dtype=np.int64)
    names = renamed(where.benchmark.values)
    changed = [f"{name} is {new}" for name, new in names.items() if new != name]
    apart = [name for name, new in names.items() if benchmark_id(name) not in (None, new)]
    return Content(
        raw=raw,
        roles=roles,
        others=where.others,
        notes=(
            *seeds.notes,
            *_arm_notes(raw, roles["arm"], arm),
            *where.notes,
            *((f"benchmarks by their catalogue names: {', '.join(changed)}",) if changed else ()),
            *((f"BENCHMARKS WITH SIMILAR NAMES are kept separate: {', '.join(apart)}",) if apart else ()),
            *read.notes,
            *points.notes,
        ),
        long="benchmark" in roles,
        arm=arm,
        seed=seeds.factor,
        benchmark=Factor(where.benchmark.codes, tuple(names[name] for name in where.benchmark.values)),
        scores=points.values,
        questions=np.stack([counts(raw, name) if name else unknown for name in where.questions], axis=1),
        domain=_texts(raw, roles, "domain"),
        suite=_texts(raw, roles, "suite"),
        harness=_texts(raw, roles, "harness"),
        percent_stated=points.stated,
    )


def _roles(raw: RawTable, columns: Mapping[str, str]) -> dict[str, str]:
    """Role -> column; for a wide table without the roles that only a long table has."""
    roles = find_roles(raw.header, columns)
    for role, why in (("arm", ""), ("seed", ", or add one: runs are paired by seed")):
        if role not in roles:
            raise InputError(f"no {role} column among {short(raw.header)}: name it with --column {role}=NAME{why}")
    if "benchmark" in roles and "score" in roles and "benchmarks" not in roles:
        wide = [
            name
            for name in _free(raw, roles)
            if benchmark_id(name) and name not in split(roles.get("group", ""), raw.header)
        ]
        if wide:
            raise InputError(
                f"columns {roles['benchmark']!r} and {roles['score']!r} make a long table, {wide[0]!r} a wide one: "
                f"add --column benchmarks={wide[0]} or --column ignore={wide[0]}"
            )
        return roles
    for role, partner in (("benchmark", "score"), ("score", "benchmark")):
        if role in columns and partner not in roles:
            raise InputError(f"no {partner} column among {short(raw.header)}: name it with --column {partner}=NAME")
    return {role: column for role, column in roles.items() if role not in LONG_ROLES}


def _free(raw: RawTable, roles: Mapping[str, str]) -> tuple[str, ...]:
    """The columns without a role; a replicate column may separate cells like any of them."""
    taken = {column for role, column in roles.items() if role in ALIASES and role != "replicate"}
    taken |= set(split(roles.get("ignore", ""), raw.header))
    return tuple(name for name in raw.header if name not in taken)


def _long(raw: RawTable, roles: Mapping[str, str]) -> _Columns:
    benchmark = cells.texts(raw, roles["benchmark"], required=True)
    return _Columns(benchmark, (roles["score"],), (roles.get("questions"),), _free(raw, roles), ())


def _wide(raw: RawTable, roles: Mapping[str, str], arm: Factor[str], seed: Factor[int]) -> _Columns:
    free = _free(raw, roles)
    kept = {*split(roles.get("group", ""), raw.header), roles.get("replicate", "")}
    found = wide_columns(raw, [name for name in free if name not in kept], roles, arm, seed)
    others = tuple(name for name in free if name in kept or name in found.others)
    questions = tuple(found.questions.get(name) for name in found.benchmarks)
    return _Columns(
        Factor(np.arange(len(found.benchmarks)), found.benchmarks), found.benchmarks, questions, others, found.notes
    )


def _texts(raw: RawTable, roles: Mapping[str, str], role: str) -> Factor[str]:
    return cells.texts(raw, roles[role]) if role in roles else Factor.of("", raw.rows)


def _arm_notes(raw: RawTable, column: str, arm: Factor[str]) -> list[str]:
    """Notes on arms that differ only in case (kept separate) or only in spaces (merged)."""
    alike: dict[str, list[str]] = {}
    for name in arm.values:
        alike.setdefault(name.casefold(), []).append(name)
    notes = [
        f"ARMS THAT DIFFER ONLY IN CASE are kept separate: {', '.join(names)}"
        for names in alike.values()
        if len(names) > 1
    ]
    spellings: dict[str, set[str]] = {}
    for cell in set(raw.columns[column]):
        spellings.setdefault(cells.text(cell), set()).add(str(cell))
    merged = [name for name, written in sorted(spellings.items()) if len(written) > 1]
    if merged:
        notes.append(f"arms that differ only in spaces are one arm: {', '.join(merged)}")
    return notes
