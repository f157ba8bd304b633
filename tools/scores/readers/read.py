"""read_scores: anybody's files to one ScoreBook."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from policies.errors import InputError
from tools.scores.book import ScoreBook
from tools.scores.readers.assemble import assemble
from tools.scores.readers.delimited import read_delimited
from tools.scores.readers.raw import RawTable, joined


def read_scores(
    paths: Sequence[Path],
    *,
    columns: Mapping[str, str] | None = None,
    domains: Mapping[str, str] | None = None,
    unit: str = "",
    decimal: str = "",
) -> ScoreBook:
    """Reads score tables of any known form, several files as one table.

    `columns` names the column of a role where its name does not say it (`{"arm": "method"}`); `domains` gives domains
    to benchmarks; `unit` is `percent` or `fraction` where the scores do not show it, `decimal` is `point` or `comma`.
    Raises InputError, one line with file, line, column and value, for whatever cannot be read.
    """
    if not paths:
        raise InputError("no file to read: name at least one")
    return assemble(joined([_raw(path) for path in paths]), columns or {}, domains or {}, unit=unit, decimal=decimal)


def _raw(path: Path) -> RawTable:
    return read_delimited(path.read_text(encoding="utf-8-sig"), str(path))
