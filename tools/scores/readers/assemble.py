"""From a raw table to the score book: the content, divided into cells."""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.benchmark_names import benchmark_id, catalogue_domains
from tools.scores.book import ScoreBook, ScoreCell, Value
from tools.scores.columns import ALIASES, split
from tools.scores.factor import Factor
from tools.scores.readers import cells
from tools.scores.readers.content import Content, read_content
from tools.scores.readers.controls import check_controls, controls_of
from tools.scores.readers.grouping import Grouping, group
from tools.scores.readers.raw import RawTable
from tools.scores.table import ScoreTable
from tools.text.plain_text import one_line


def assemble(
    raw: RawTable,
    columns: Mapping[str, str],
    domains: Mapping[str, str],
    unit: str = "",
    decimal: str = "",
    form: str = "",
) -> ScoreBook:
    """Returns the score book of a raw table; the arguments are those of `read_scores`, form the name of the format.

    Raises InputError for anything that cannot be read.
    """
    for name in raw.header:
        if one_line(name) != " ".join(name.split()):
            raise InputError(f"{raw.segments[0].source}: column name {name!r} has control characters: rename it")
    content = read_content(raw, columns, unit, decimal)
    domains = {
        name if name in content.benchmark.values else benchmark_id(name) or name: domains[name] for name in domains
    }
    unknown = [name for name in domains if name not in content.benchmark.values]
    if unknown:
        has = ", ".join(content.benchmark.values)
        raise InputError(f"a domain is given for {unknown[0]!r}, which is not in the table: it has {has}")
    grouping = _grouping(content)
    control = cells.texts(raw, content.roles["control"]) if "control" in content.roles else None
    if control:
        check_controls(raw, content.roles["control"], content.arm, control)
    labels = {name: _labels(raw, name) for name in (*grouping.columns, *grouping.about)}
    made, notes = [], [*raw.notes, *content.notes, *grouping.notes]
    for number in range(int(grouping.cell.max()) + 1):
        rows = np.flatnonzero(grouping.cell == number)
        values = {name: labels[name][cells.text(raw.columns[name][rows[0]])] for name in labels}
        where = ", ".join(str(values[name]) for name in grouping.columns)
        table = _table(content, rows, domains, where, notes)
        if table is None:
            continue
        controls, others = controls_of(raw, rows, content.arm, control) if control else ({}, [])
        notes += others
        own = {name: values[name] for name in grouping.columns}
        made.append(ScoreCell(own, table, controls, {name: values[name] for name in grouping.about}))
    if not made:
        raise InputError(f"{raw.segments[0].source}: no scores at all: fill them in")
    return ScoreBook(
        source=tuple(dict.fromkeys(segment.source for segment in raw.segments)),
        format=form or ("long table" if content.long else "wide table"),
        mapping=_mapping(content, grouping),
        cells=tuple(made),
        notes=tuple(dict.fromkeys(notes)),
        rows=raw.rows,
    )


def _grouping(content: Content) -> Grouping:
    raw, roles = content.raw, content.roles
    named = split(roles["group"], raw.header) if "group" in roles else None
    candidates = {name: cells.texts(raw, name) for name in content.others}
    if len(content.suite.values) > 1:
        candidates[roles["suite"]] = content.suite
    keys = (content.arm, content.seed, *((content.benchmark,) if content.long else ()))
    return group(candidates, keys, named)


def _mapping(content: Content, grouping: Grouping) -> dict[str, str]:
    mapping = {role: column for role, column in content.roles.items() if role in ALIASES}
    if not content.long:
        mapping["benchmarks"] = ", ".join(content.benchmark.values)
    if grouping.columns:
        mapping["group"] = ", ".join(grouping.columns)
    return mapping


def _labels(raw: RawTable, column: str) -> dict[str, Value]:
    """Text -> the value to show: a number if every cell of the column is a number in its usual notation."""
    found = tuple(dict.fromkeys(map(cells.text, dict.fromkeys(raw.columns[column]))))
    for pattern, kind in ((r"-?(?:0|[1-9]\d{0,17})", int), (r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", float)):
        if all(re.fullmatch(pattern, text) for text in found):
            return {text: kind(text) for text in found}
    return {text: text for text in found}


def _table(
    content: Content, rows: NDArray[np.intp], domains: Mapping[str, str], where: str, notes: list[str]
) -> ScoreTable | None:
    """The scores of these rows, without the benchmarks that have none here, which are noted; None without scores."""
    width = content.scores.shape[1]
    if content.long:
        benchmark = content.benchmark.take(rows)
    else:
        benchmark = Factor(np.tile(content.benchmark.codes, len(rows)), content.benchmark.values)
    score, questions = content.scores[rows].reshape(-1), content.questions[rows].reshape(-1)
    filled = np.bincount(benchmark.codes, weights=~np.isnan(score), minlength=len(benchmark.values)) > 0
    place = f" of {where}" if where else ""
    if not filled.any():
        notes.append(f"no scores at all{place} (from {content.raw.where(int(rows[0]))} on), left out")
        return None
    empty = [name for name, full in zip(benchmark.values, filled, strict=True) if not full]
    keep = np.flatnonzero(filled[benchmark.codes])
    spread = np.repeat(rows, width)[keep]
    table = ScoreTable.from_columns(
        arm=content.arm.take(spread), seed=content.seed.take(spread), benchmark=benchmark.take(keep),
        score=score[keep], suite=content.suite.take(spread), domain=content.domain.take(spread),
        questions=questions[keep], harness=content.harness.take(spread), percent_stated=content.percent_stated,
    )  # fmt: skip
    known = catalogue_domains()
    for name, given in table.domains.items():
        table.domains[name] = domains.get(name) or given or known.get(name, "")
    if empty:
        notes.append(f"benchmarks without any score{place}, left out: {', '.join(empty)}")
    return table
