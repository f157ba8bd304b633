"""read_scores: a user's files to one ScoreBook."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from policies.errors import InputError
from tools.scores.book import ScoreBook
from tools.scores.readers.assemble import assemble
from tools.scores.readers.files import File, open_path
from tools.scores.readers.frame import read_frame
from tools.scores.readers.raw import RawTable, joined
from tools.scores.readers.run_log import RunLog, logs_table

if TYPE_CHECKING:
    from pandas import DataFrame


def read_scores(
    sources: "Sequence[Path | DataFrame]",
    *,
    columns: Mapping[str, str] | None = None,
    domains: Mapping[str, str] | None = None,
    unit: str = "",
    decimal: str = "",
) -> ScoreBook:
    """Reads score tables of any known form, several files or frames as one table.

    `columns` names the column of a role that its name does not give (`{"arm": "method"}`), and the metric of evaluation
    logs; `domains` gives domains to benchmarks; `unit` is `percent` or `fraction` if the scores do not show it,
    `decimal` is `point` or `comma`. Raises InputError, one line with file, line, column and value, for anything that
    cannot be read.
    """
    if not sources:
        raise InputError("no file to read: name at least one")
    named_sources = _by_name(sources)
    files: list[File] = []
    for name, source in named_sources.items():
        files += open_path(source) if isinstance(source, Path) else [File(read_frame(source, name), "", ())]
    named = dict(columns or {})
    tables = [_noted(file.content, file.notes) for file in files if isinstance(file.content, RawTable)]
    logs = [file.content for file in files if isinstance(file.content, RunLog)]
    if logs:
        if tables or unit:
            what = f"--unit {unit}" if unit else f"the table {tables[0].segments[0].source}"
            raise InputError(f"{what} cannot be combined with evaluation logs, which are fractions of 1: omit it")
        tables = [logs_table(logs, named.pop("metric", ""), [note for file in files for note in file.notes])]
        unit = "percent"
    form = ", ".join(dict.fromkeys(file.form for file in files if file.form))
    book = assemble(joined(tables), named, domains or {}, unit=unit, decimal=decimal, form=form)
    return replace(book, source=tuple(named_sources))


def _by_name(sources: "Sequence[Path | DataFrame]") -> "dict[str, Path | DataFrame]":
    """The sources as errors name them, each once: paths, `DataFrame`, `DataFrame 2`."""
    found: dict[str, Path | DataFrame] = {}
    frames = 0
    for place, source in enumerate(sources):
        if isinstance(source, Path):
            name = str(source)
        else:
            frames += 1
            name = f"DataFrame {frames}" if frames > 1 else "DataFrame"
        if name in found or any(source is other for other in sources[:place]):
            raise InputError(f"{name} is named twice: every score in it would count twice")
        found[name] = source
    return found


def _noted(table: RawTable, notes: tuple[str, ...]) -> RawTable:
    return RawTable(table.columns, table.segments, (*notes, *table.notes)) if notes else table
