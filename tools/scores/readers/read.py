"""read_scores: anybody's files to one ScoreBook."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from policies.errors import InputError
from tools.scores.book import ScoreBook
from tools.scores.readers.assemble import assemble
from tools.scores.readers.decode import decode, unpacked
from tools.scores.readers.delimited import read_delimited
from tools.scores.readers.parquet import read_parquet
from tools.scores.readers.raw import RawTable, joined
from tools.scores.readers.records import is_records, parse_json, read_json_lines, records_table


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
    tables = [_table(path) for path in paths]
    return assemble(joined(tables), columns or {}, domains or {}, unit=unit, decimal=decimal)


def _table(path: Path) -> RawTable:
    source = str(path)
    try:
        data = unpacked(path.read_bytes(), source)
    except FileNotFoundError:
        raise InputError(f"no such file: {source}") from None
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise InputError(f"{source} is empty: nothing to read")
    if data.startswith(b"PAR1"):
        return read_parquet(data, source)
    text, notes = decode(data, source)
    table = _text_table(text, source)
    return RawTable(table.columns, table.segments, (*notes, *table.notes))


def _text_table(text: str, source: str) -> RawTable:
    start = text.lstrip()[:1]
    if start == "[":
        value = parse_json(text, source)
        if not is_records(value):
            raise InputError(f"{source}: the JSON list is no list of records: write [{{...}}, {{...}}]")
        return records_table(value, source, "record", range(1, len(value) + 1))
    if start == "{":
        return read_json_lines(text, source)
    return read_delimited(text, source)
