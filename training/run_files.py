"""The files of one run: where they are, and reading and writing them whole.

RUN_DIR/run.json  config.yaml  argv.txt  facts.json  delivery.jsonl  result.json  run.lock  launch.log
        data/  checkpoints/  export/  attempts/<k>/ of which `AttemptFiles` has the names
"""

import json
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from training.launchers.base import LAUNCH_LOG
from training.run_spec import RunResult, RunSpec
from training.support.run_lock import RUN_LOCK


class RecordedFacts(StrictModel):
    """What a run ran with, beside its configuration and arguments; compared between arms."""

    schema_version: Literal[1] = 1
    environment: dict[str, str]
    artifacts: dict[str, str]
    versions: dict[str, str]
    hardware: str


class AttemptFiles:
    """Paths of one attempt at a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = int(folder.name)
        self.log = folder / "train.log"
        self.metrics = folder / "metrics.jsonl"
        self.driver = folder / "driver.json"
        self.result = folder / "result.json"
        self.ray_temp = folder / "ray_temp.txt"
        self.started_over = folder / "started_over.txt"
        self.damaged_delivery = folder / "delivery.damaged.jsonl"

    @property
    def run(self) -> "RunFiles":
        """The run that this attempt belongs to."""
        return RunFiles(self.folder.parent.parent)


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
        self.lock = folder / RUN_LOCK
        self.launch_log = folder / LAUNCH_LOG
        self.data = folder / "data"
        self.checkpoints = folder / "checkpoints"
        self.checkpointed = self.checkpoints / "latest_checkpointed_iteration.txt"
        """verl's file that names the last whole checkpoint."""
        self.export = folder / "export"
        self._attempts = folder / "attempts"

    def attempt(self, number: int) -> AttemptFiles:
        """Files of an attempt, made or not."""
        return AttemptFiles(self._attempts / str(number))

    def attempts(self) -> list[AttemptFiles]:
        """The attempts so far, the oldest first."""
        if not self._attempts.is_dir():
            return []
        folders = (entry for entry in self._attempts.iterdir() if entry.name.isdigit())
        return sorted(map(AttemptFiles, folders), key=lambda attempt: attempt.number)

    def checkpoint(self, step: int) -> Path:
        """Folder of verl's checkpoint after a step."""
        return self.checkpoints / f"global_step_{step}"

    def checkpoint_steps(self) -> list[int]:
        """Steps of the checkpoints that there are, whole or not, ascending."""
        return sorted(int(path.name.rpartition("_")[2]) for path in self.checkpoints.glob("global_step_*"))

    def last_sign(self) -> float:
        """When the run last wrote something (Unix seconds); 0 when it never did."""
        files = [self.launch_log, self.delivery, *(path for one in self.attempts() for path in one.folder.iterdir())]
        return max((path.stat().st_mtime for path in files if path.is_file()), default=0.0)

    def final_result(self) -> RunResult | None:
        """How the run ended for good; None while it has not. InputError when the file is damaged."""
        try:
            return RunResult.model_validate_json(self.result.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise InputError(
                f"{self.result} is damaged ({describe_faults(error)}); restore it from a copy, or delete it to "
                "make the run again"
            ) from error

    def metrics(self) -> dict[int, dict[str, Any]]:
        """Step -> verl's metrics, over all attempts; where a resumed attempt repeated a step, its row counts."""
        rows: dict[int, dict[str, Any]] = {}
        for attempt in self.attempts():
            rows.update(read_metrics(attempt.metrics))
        return dict(sorted(rows.items()))


def read_spec(files: RunFiles) -> RunSpec:
    """The run's specification; raises InputError with all faults."""
    try:
        return RunSpec.model_validate_json(files.spec.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{files.folder} has no {files.spec.name}; `advisor run` makes run directories") from error
    except ValidationError as error:
        raise InputError(f"{files.spec} is not a run specification: {describe_faults(error)}") from error


def read_metrics(path: Path) -> dict[int, dict[str, Any]]:
    """Step -> metrics of one attempt; a line that is no row (torn by a crash, still being written) is left out."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
    return dict(row for line in lines if (row := _metrics_row(line)) is not None)


def _metrics_row(line: str) -> tuple[int, dict[str, Any]] | None:
    try:
        row = json.loads(line)
        step, data = row["step"], row["data"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (step, data) if isinstance(step, int) and isinstance(data, dict) else None


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
