"""Opens a path as a table, an evaluation log, or a folder of logs; the content decides, not the file name extension."""

from pathlib import Path
from typing import Any, NamedTuple

from policies.errors import InputError
from tools.scores.columns import short
from tools.scores.readers.decode import decode, unpacked
from tools.scores.readers.delimited import read_delimited
from tools.scores.readers.inspect_logs import is_inspect, read_header, read_inspect
from tools.scores.readers.lm_eval import is_lm_eval, read_lm_eval
from tools.scores.readers.parquet import read_parquet
from tools.scores.readers.raw import RawTable
from tools.scores.readers.records import is_records, parse_json, read_json_lines, records_table
from tools.scores.readers.run_log import RunLog

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz")


class File(NamedTuple):
    """The content of one file."""

    content: RawTable | RunLog
    form: str
    """The kind of log; empty for a table."""
    notes: tuple[str, ...]


def open_path(path: Path) -> list[File]:
    """Opens a file, or the logs in a folder. Raises InputError for anything that cannot be read."""
    if path.is_dir():
        return _folder(path)
    source = str(path)
    data = _bytes(path)
    if data.startswith(b"PAR1"):
        return [File(read_parquet(data, source), "", ())]
    if data.startswith(b"PK\x03\x04"):
        return [_log(read_header(data, source), source)]
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise InputError(f"{source} is a spreadsheet: export it as CSV")
    text, notes = decode(data, source)
    start = text.lstrip()[:1]
    if start == "{":
        return [_object(text, source, notes)]
    if start == "[":
        return [File(_list(text, source), "", notes)]
    return [File(read_delimited(text, source), "", notes)]


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, ValueError):  # ValueError: a NUL in the name
        raise InputError(f"no such file: {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    data = unpacked(data, str(path))
    if not data.strip(b" \t\r\n\x00"):
        raise InputError(f"{path} is empty: name a file with scores")
    return data


def _object(text: str, source: str, notes: tuple[str, ...]) -> File:
    """A text that begins with a JSON object: a log, or one object a line."""
    first = text.lstrip().partition("\n")[0].rstrip()
    if first.endswith("}") and not text.lstrip()[len(first) :].strip():
        content = parse_json(first, source)
    elif first.endswith("}"):
        return File(read_json_lines(text, source), "", notes)
    else:
        content = parse_json(text, source)
    if is_lm_eval(content) or is_inspect(content):
        return _log(content, source)
    if first.endswith("}"):
        return File(read_json_lines(text, source), "", notes)
    raise InputError(f"{source}: a JSON object that is neither an lm-eval result nor an Inspect log: use a record list")


def _list(text: str, source: str) -> RawTable:
    value = parse_json(text, source)
    if not is_records(value):
        raise InputError(f"{source}: the JSON list is not a list of records: write [{{...}}, {{...}}]")
    return records_table(value, source, "record", range(1, len(value) + 1))


def _log(content: dict[str, Any], source: str) -> File:
    if is_lm_eval(content):
        return File(read_lm_eval(content, source), "lm-eval results", ())
    return File(read_inspect(content, source), "inspect logs", ())


def _folder(path: Path) -> list[File]:
    """All logs below the folder, sorted by name."""
    found: list[File] = []
    other: list[str] = []
    for file in sorted(path.rglob("*")):
        if file.suffix == ".eval" and file.is_file():
            found.append(_log(read_header(_bytes(file), str(file)), str(file)))
        elif file.suffix == ".json" and file.is_file():
            content = _json(file)
            if is_lm_eval(content) or is_inspect(content):
                found.append(_log(content, str(file)))
            else:
                other.append(file.name)
    if not found:
        tables = [file.name for file in sorted(path.iterdir()) if file.name.lower().endswith(_TABLES)]
        hint = f"name its tables one by one ({short(tables, 3)})" if tables else "name a table"
        raise InputError(
            f"{path} is a folder without lm-eval results (results_*.json) or Inspect logs (*.eval): {hint}"
        )
    if other:
        notes = (f"JSON files that are not evaluation logs were not read: {short(other, 3)}",)
        found[0] = found[0]._replace(notes=notes)
    return found


def _json(path: Path) -> Any:
    """The JSON value in a file; None if there is none, since the file may be unrelated."""
    try:
        return parse_json(decode(_bytes(path), str(path)).text, str(path))
    except InputError:
        return None
