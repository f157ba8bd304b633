"""The files of one run: where they are, and reading and writing them whole.

RUN_DIR/run.json  config.yaml  argv.txt  facts.json  delivery.jsonl  result.json  run.lock
        data/  checkpoints/  export/  attempts/<k>/{train.log,metrics.jsonl,result.json}
"""

import json
import os
from pathlib import Path
from typing import Any, Literal

from policies.model import StrictModel
from training.run_spec import RunResult


class RecordedFacts(StrictModel):
    """What a run ran with, beside its configuration and arguments; compared between arms."""

    schema_version: Literal[1] = 1
    environment: dict[str, str]
    artifacts: dict[str, str]
    versions: dict[str, str]
    hardware: str


class RunFiles:
    """Paths of one run directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spec = folder / "run.json"
        self.config = folder / "config.yaml"
        self.argv = folder / "argv.txt"
        self.facts = folder / "facts.json"
        self.delivery = folder / "delivery.jsonl"
        self.result = folder / "result.json"
        self.lock = folder / "run.lock"
        self.data = folder / "data"
        self.checkpoints = folder / "checkpoints"
        self.export = folder / "export"
        self.attempts = folder / "attempts"

    def attempt_numbers(self) -> list[int]:
        """Numbers of the attempts so far, ascending."""
        if not self.attempts.is_dir():
            return []
        return sorted(int(entry.name) for entry in self.attempts.iterdir() if entry.name.isdigit())

    def attempt(self, number: int) -> Path:
        """Folder of an attempt."""
        return self.attempts / str(number)

    def final_result(self) -> RunResult | None:
        """How the run ended for good; None while it has not."""
        if not self.result.exists():
            return None
        return RunResult.model_validate_json(self.result.read_text(encoding="utf-8"))

    def metrics(self) -> dict[int, dict[str, Any]]:
        """Step -> verl's metrics, over all attempts; where a resumed attempt repeated a step, its row counts."""
        rows: dict[int, dict[str, Any]] = {}
        for number in self.attempt_numbers():
            rows.update(read_metrics(self.attempt(number) / "metrics.jsonl"))
        return dict(sorted(rows.items()))


def read_metrics(path: Path) -> dict[int, dict[str, Any]]:
    """Step -> metrics of one attempt; a last line that is still being written is left out."""
    if not path.exists():
        return {}
    rows: dict[int, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        if line.strip():
            row = json.loads(line)
            rows[int(row["step"])] = row["data"]
    return rows


def write_atomically(path: Path, text: str) -> None:
    """Writes to a temporary name beside `path`, flushes it to disk and renames."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
