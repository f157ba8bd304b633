"""Reads logs of Inspect (UK AISI): `.eval`, a zip with `header.json`, or the same content as one JSON file.

Layout (src/inspect_ai/log/_log.py and _recorders/eval.py of its repository, log version 2): `status`; `eval` with
`task`, `task_version`, `model`, `metadata`, `config`, `packages` ...; `results` with `completed_samples` and `scores`,
each {"name", "metrics": {metric: {"value"}}}. Members are deflated or, since 2025, compressed with zstandard, which
Python's zipfile reads from 3.14 on.
"""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any

from policies.errors import InputError
from tools.scores.columns import ALIASES, normal
from tools.scores.readers.run_log import RunLog, TaskResult, fields, fingerprint, items
from tools.scores.readers.run_paths import RunPath, run_from, run_of

INSTALL = 'pip install "experiment-advisor[inspect]"'
_HEADER, _START = "header.json", "_journal/start.json"
_ZSTANDARD = 93
"""Number of the compression method in a zip (APPNOTE.TXT 4.4.5)."""
_SPREAD = ("stderr", "std", "var", "bootstrap_stderr", "bootstrap_std")


def is_inspect(content: object) -> bool:
    """Returns whether this JSON value is an Inspect log."""
    return isinstance(content, dict) and isinstance(content.get("eval"), dict) and "status" in content


def read_header(data: bytes, source: str) -> dict[str, Any]:
    """Returns the header of an `.eval` file. Raises InputError for any other zip, and if zstandard is missing."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if _HEADER not in names and _START in names:
                raise InputError(f"{source}: the evaluation did not finish, so it has no results: omit the file")
            if _HEADER not in names:
                raise InputError(f"{source} is neither a table nor an Inspect log: export a spreadsheet as CSV")
            content = json.loads(_member(archive, archive.getinfo(_HEADER), data, source))
    except (zipfile.BadZipFile, ValueError, RuntimeError, struct.error, EOFError, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source} is a damaged zip file: copy or export it again") from None
    if not is_inspect(content):
        raise InputError(f"{source}: its {_HEADER} is not that of an Inspect log: omit the file")
    return dict(content)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes, source: str) -> bytes:
    if info.compress_type != _ZSTANDARD:
        return archive.read(info)
    if find_spec("zstandard") is None:
        raise InputError(f"{source}: reading this Inspect log needs zstandard: {INSTALL}")
    import zstandard

    # a local header of 30 bytes, whose last two fields are the lengths of name and extra field (APPNOTE.TXT 4.3.7)
    name, extra = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + name + extra
    try:
        reader = zstandard.ZstdDecompressor().stream_reader(data[start : start + info.compress_size])
        return bytes(reader.read(info.file_size))
    except zstandard.ZstdError:
        raise zipfile.BadZipFile(source) from None


def read_inspect(content: Mapping[str, Any], source: str) -> RunLog:
    """Returns the scores in one log. Raises InputError if no metadata, folder or model name gives arm and seed."""
    spec = content["eval"]
    task = str(spec.get("task") or PurePath(source).stem).rpartition("/")[2]
    finished = content.get("status") == "success" and not content.get("invalidated")
    results = fields(content.get("results")) if finished else {}
    counted = results.get("completed_samples")
    questions = counted if isinstance(counted, int) and counted > 0 else None
    return RunLog(source, _run(spec, source), {task: TaskResult(_metrics(results), questions, _harness(spec))})


def _run(spec: Mapping[str, Any], source: str) -> RunPath:
    """Arm and seed by the log's metadata, else by its folders and model."""
    said = {normal(str(name)): value for name, value in fields(spec.get("metadata")).items()}
    arm = next((said[name] for name in ALIASES["arm"] if name in said), None)
    seed = next((said[name] for name in ALIASES["seed"] if name in said), None)
    if not isinstance(arm, str) or not isinstance(seed, int) or isinstance(seed, bool):
        return run_from(source, str(spec.get("model") or ""))
    above = run_of(PurePath(source).parts[:-1])
    return RunPath(arm, seed, above.folder if above else "")


def _metrics(results: Mapping[str, Any]) -> dict[str, float]:
    """`scorer/metric` -> value, without measures of spread."""
    found: dict[str, float] = {}
    for score in map(fields, items(results.get("scores"))):
        for name, metric in fields(score.get("metrics")).items():
            value = fields(metric).get("value")
            if name not in _SPREAD and isinstance(value, int | float) and not isinstance(value, bool):
                found[f"{score.get('name', 'score')}/{name}"] = float(value)
    return found


def _harness(spec: Mapping[str, Any]) -> str:
    program, config = fields(spec.get("packages")).get("inspect_ai", ""), fields(spec.get("config"))
    settings = {
        name: spec.get(name)
        for name in ("task_version", "task_args", "solver", "solver_args", "model_generate_config", "scorers")
    }
    settings |= {name: config.get(name) for name in ("limit", "epochs", "epochs_reducer")}
    words = f"inspect {program}".strip() + f", task version {spec.get('task_version', 'not recorded')}"
    return fingerprint(words, {**settings, "program": program})
