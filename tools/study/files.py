"""Reads files that another process may be writing."""

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def last_lines(path: Path, limit_bytes: int = 65536) -> list[str]:
    """The complete lines at the end of a file that may still grow; none when it does not exist."""
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


def finite_number(value: object) -> float | None:
    """The value as a float, or None where it is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def json_lines(lines: list[str]) -> list[dict[str, Any]]:
    """The lines that are JSON objects; others (torn by a crash) are left out."""
    found = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found


def last_sign(run_dir: Path) -> float:
    """When a run last wrote something (Unix seconds); 0 when it never did."""
    files = [run_dir / "launch.log", *run_dir.glob("attempts/*/*"), run_dir / "delivery.jsonl"]
    return max((path.stat().st_mtime for path in files if path.is_file()), default=0.0)
