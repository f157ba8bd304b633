"""read_scores: anybody's files to one ScoreBook."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from policies.errors import InputError
from tools.scores.book import ScoreBook
from tools.scores.readers.assemble import assemble
from tools.scores.readers.files import File, open_path
from tools.scores.readers.raw import RawTable, joined
from tools.scores.readers.run_log import RunLog, logs_table


def read_scores(
    paths: Sequence[Path],
    *,
    columns: Mapping[str, str] | None = None,
    domains: Mapping[str, str] | None = None,
    unit: str = "",
    decimal: str = "",
) -> ScoreBook:
    """Reads score tables of any known form, several files as one table.

    `columns` names the column of a role where its name does not say it (`{"arm": "method"}`), and the metric of
    evaluation logs; `domains` gives domains to benchmarks; `unit` is `percent` or `fraction` where the scores do not
    show it, `decimal` is `point` or `comma`. Raises InputError, one line with file, line, column and value, for
    whatever cannot be read.
    """
    if not paths:
        raise InputError("no file to read: name at least one")
    twice = [str(path) for place, path in enumerate(paths) if path in paths[:place]]
    if twice:
        raise InputError(f"{twice[0]} is named twice: every score in it would count twice")
    files: list[File] = []
    for path in paths:
        files += open_path(path)
    named = dict(columns or {})
    tables = [_noted(file.content, file.notes) for file in files if isinstance(file.content, RawTable)]
    logs = [file.content for file in files if isinstance(file.content, RunLog)]
    if logs:
        if tables or unit:
            what = f"--unit {unit}" if unit else f"the table {tables[0].segments[0].source}"
            raise InputError(f"{what} beside evaluation logs, which are fractions of 1: leave it out")
        tables = [logs_table(logs, named.pop("metric", ""), [note for file in files for note in file.notes])]
        unit = "percent"
    form = ", ".join(dict.fromkeys(file.form for file in files if file.form))
    book = assemble(joined(tables), named, domains or {}, unit=unit, decimal=decimal, form=form)
    return replace(book, source=tuple(map(str, paths)))


def _noted(table: RawTable, notes: tuple[str, ...]) -> RawTable:
    return RawTable(table.columns, table.segments, (*notes, *table.notes)) if notes else table
