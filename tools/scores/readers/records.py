"""Reads JSONL and JSON lists of records."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from policies.errors import InputError
from tools.scores.readers.raw import Raw, RawTable, Segment

NESTS = ("scores", "benchmarks", "accuracy", "results")
"""Fields of a record whose own fields are taken as columns: `{"arm": "a", "seed": 1, "scores": {"gsm8k": 41.0}}`."""


def read_json_lines(text: str, source: str) -> RawTable:
    """Reads one JSON object per line. Raises InputError naming the first line that is not one."""
    places: list[int] = []
    found: list[dict[str, Any]] = []
    for line, content in enumerate(text.split("\n"), 1):
        if content.strip():
            record = parse_json(content, f"{source} line {line}")
            if not isinstance(record, dict):
                raise InputError(f"{source} line {line}: {content.strip()[:40]!r} is not a JSON object: correct it")
            places.append(line)
            found.append(record)
    return records_table(found, source, "line", places)


def parse_json(text: str, where: str) -> Any:
    """Parses a JSON text. Raises InputError, naming the place, for invalid JSON and for a duplicate field."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            again = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{where}: the field {again!r} occurs twice in one record: delete one of them")
        return made

    try:
        return json.loads(text, object_pairs_hook=unique)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: invalid JSON at column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{where}: {str(error).partition(';')[0]}: this is not a score table") from None
    except RecursionError:
        raise InputError(f"{where}: the JSON is nested too deeply to be a score table") from None


def records_table(records: Sequence[dict[str, Any]], source: str, unit: str, places: Sequence[int]) -> RawTable:
    """Returns records as columns, None for absent fields. Raises InputError without records and for nested values."""
    if not records:
        raise InputError(f"{source} has no records: name a file with scores")
    flat = [_flat(record, f"{source} {unit} {place}") for record, place in zip(records, places, strict=True)]
    names = dict.fromkeys(name for record in flat for name in record)
    columns: dict[str, list[Raw]] = {name: [record.get(name) for record in flat] for name in names}
    for name in [name for name in names if not str(name).strip()]:
        raise InputError(f"{source}: a field has the empty name {name!r}: name it")
    return RawTable(columns, (Segment(source, 0, unit, places),))


def is_records(value: object) -> bool:
    """Returns whether this JSON value is a list of objects, with at least one."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _flat(record: dict[str, Any], where: str) -> dict[str, Raw]:
    if not any(isinstance(value, dict | list) for value in record.values()):
        return record
    flat: dict[str, Raw] = {}
    for name, value in record.items():
        items: Iterable[tuple[str, Any]] = [(name, value)]
        if isinstance(value, dict) and name in NESTS:
            items = value.items()
        for inner, cell in items:
            if isinstance(cell, dict | list):
                raise InputError(
                    f"{where}: the field {inner!r} holds {type(cell).__name__} {str(cell)[:40]}: "
                    f"write one value per field (only {', '.join(NESTS)} may hold an object of scores)"
                )
            if inner in flat:
                raise InputError(f"{where}: the field {inner!r} occurs twice in one record: delete one of them")
            flat[inner] = cell
    return flat
