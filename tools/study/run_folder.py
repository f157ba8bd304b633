"""Reads the files of a run that another process may be writing."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from policies.errors import InputError
from training.run_files import RunFiles, read_spec
from training.run_spec import RunResult, RunSpec


def last_lines(path: Path, limit_bytes: int = 65536) -> list[str]:
    """Returns the complete lines at the end of a file that may still grow; none if it does not exist."""
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, os.SEEK_END)
            start = max(0, size - limit_bytes)
            handle.seek(start)
            content = handle.read()
    except FileNotFoundError:
        return []
    whole, _, _ = content.rpartition(b"\n")
    lines = whole.decode("utf-8", errors="replace").split("\n") if whole else []
    return lines[1:] if start else lines


def json_lines(lines: list[str]) -> list[dict[str, Any]]:
    """Returns the lines that are JSON objects; others (truncated by a crash) are ignored."""
    found = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def read_result(run_dir: Path, spec: RunSpec | None = None) -> RunResult | None:
    """Returns the final result of a run directory, or None if there is none.

    Raises InputError for a damaged result and, with `spec`, if `run.json` specifies another run.
    """
    files = RunFiles(run_dir)
    result = files.final_result()
    if result is None or result.outcome == "interrupted":
        return None
    if spec is not None and _identity(read_spec(files)) != _identity(spec):
        raise InputError(
            f"{files.spec} is not the run that this study planned, yet it has a result: move {run_dir} away to repeat "
            "the run"
        )
    return result


def _identity(spec: RunSpec) -> tuple[object, ...]:
    """What identifies the run of a specification: all but deadline, labels and checkpoint interval."""
    return spec.recipe.held_fixed(), spec.policy, spec.seed, spec.replicate
