"""From a raw table to the book: roles, layout, benchmarks, cells."""

from collections.abc import Mapping

import numpy as np

from policies.errors import InputError
from tools.scores.book import ScoreBook, ScoreCell
from tools.scores.columns import ALIASES, GROUPS, LISTS, find_roles, normal, split
from tools.scores.factor import Factor
from tools.scores.readers import cells
from tools.scores.readers.raw import RawTable
from tools.scores.table import ScoreTable
from training.benchmarks import catalog

_KNOWN = {row.id: row.domain for name in catalog.suites() for row in catalog.suite(name)}


def assemble(
    raw: RawTable, columns: Mapping[str, str], domains: Mapping[str, str], unit: str = "", decimal: str = ""
) -> ScoreBook:
    roles = find_roles(raw.header, columns)
    for role in ("arm", "seed"):
        if role not in roles:
            raise InputError(f"no {role} column among {', '.join(raw.header)}: name it with --column {role}=NAME")
    long = "benchmark" in roles and "score" in roles
    arm, seed = cells.texts(raw, roles["arm"], required=True), cells.seeds(raw, roles["seed"])
    groups = {name: cells.texts(raw, name) for name in raw.header if normal(name) in GROUPS}
    groups = _needed(groups, raw.rows)
    if long:
        benchmark, width = cells.texts(raw, roles["benchmark"], required=True), 1
        score = cells.numbers(raw, roles["score"])
    else:
        used = {column for role, column in roles.items() if role in ALIASES}
        names = [n for n in raw.header if n not in used and normal(n) not in GROUPS and _numeric(raw, n)]
        benchmark, width = Factor(np.arange(len(names)), tuple(names)), len(names)
        score = np.stack([cells.numbers(raw, name) for name in names], axis=1)
    code = _cell_codes(groups, raw.rows)
    made = []
    for cell in range(int(code.max()) + 1):
        rows = np.flatnonzero(code == cell)
        table = ScoreTable.from_columns(
            arm=_spread(arm.take(rows), width),
            seed=_spread(seed.take(rows), width),
            benchmark=benchmark.take(rows) if long else Factor(np.tile(benchmark.codes, len(rows)), benchmark.values),
            score=score[rows].reshape(-1),
        )
        table.domains.update({n: domains.get(n, _KNOWN.get(n, "")) for n in table.benchmarks})
        controls = {}
        if "control" in roles:
            control = cells.texts(raw, roles["control"])
            controls = {
                arm.values[a]: control.values[c]
                for a, c in zip(arm.codes[rows].tolist(), control.codes[rows].tolist(), strict=True)
                if control.values[c] and control.values[c] != arm.values[a]
            }
        group = {name: f.values[f.codes[rows[0]]] for name, f in groups.items()}
        made.append(ScoreCell(group, table, controls))
    mapping = {role: column for role, column in roles.items()}
    return ScoreBook(
        tuple(s.source for s in raw.segments), "long table" if long else "wide table", mapping, tuple(made), raw.notes,
        raw.rows,
    )  # fmt: skip


def _numeric(raw: RawTable, name: str) -> bool:
    return all(cells.number(cell) is not None for cell in raw.columns[name])


def _spread(factor: Factor, width: int) -> Factor:
    return Factor(np.repeat(factor.codes, width), factor.values)


def _cell_codes(groups, rows):
    code = np.zeros(rows, dtype=np.int64)
    for factor in groups.values():
        code = code * len(factor.values) + factor.codes
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _needed(groups, rows):
    order = sorted(groups, key=lambda name: GROUPS.index(normal(name)))
    kept = {}
    for name in order:
        if _cell_codes({**kept, name: groups[name]}, rows).max() > _cell_codes(kept, rows).max():
            kept[name] = groups[name]
    for name in reversed(order):
        fewer = {n: f for n, f in kept.items() if n != name}
        if name in kept and _cell_codes(fewer, rows).max() == _cell_codes(kept, rows).max():
            kept = fewer
    return {name: groups[name] for name in groups if name in kept}
