"""One attempt at a run: starts the driver, watches it, ends all its processes, and checks what it produced."""

import ctypes
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import ClassVar, NamedTuple

import psutil

from training.environment import training_environment
from training.run_files import AttemptFiles, read_metrics, write_atomically
from training.run_spec import RunResult, RunSpec
from training.support.run_lock import RunLock
from training.verl_plugin.delivery_log import read_records

_POLL_S = 0.25
_MEMORY_EVERY_S = 5.0
_STALL_S = 900.0
"""A run without a new step for this long counts as hung (verl waits for ever on a dead controller)."""


class _End(NamedTuple):
    outcome: str
    reason: str
    failure: str | None = None
    exported: bool = False
    """Whether the last finite checkpoint of a failed run was exported."""


class Attempt:
    """The k-th attempt at a run."""

    STOPPED: ClassVar[str] = "stopped by a signal"

    def __init__(self, files: AttemptFiles, spec: RunSpec, lock: RunLock) -> None:
        self.files, self.spec, self.lock = files, spec, lock
        self.stopping = False
        self.first_step_s: float | None = None
        self.peak_memory_mb: float | None = None

    def run(self) -> RunResult:
        """Trains until the end, the deadline or a signal; writes and returns the result."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        adopt_orphans()
        self._remove_old_ray_folders()
        ray_temp = Path(tempfile.mkdtemp(prefix="adv-", dir=_short_temp()))
        write_atomically(self.files.ray_temp, f"{ray_temp}\n")
        started = time.monotonic()
        try:
            end = self._drive(ray_temp, started)
        finally:
            end_descendants()
            shutil.rmtree(ray_temp, ignore_errors=True)
        return self._conclude(end, time.monotonic() - started)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _drive(self, ray_temp: Path, started: float) -> _End:
        command = [sys.executable, "-m", "training.driver", str(self.files.folder), str(ray_temp)]
        temporary = {"TMPDIR": str(ray_temp)}  # what verl and torch leave behind goes with it
        with self.files.log.open("ab") as log:
            driver = subprocess.Popen(
                command,
                cwd=self.files.run.folder,
                env=training_environment(self.files.metrics) | temporary,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(self.lock.descriptor,),
            )
        end = self._watch(driver, started)
        if end is not None:
            driver.kill()
            driver.wait()
            return end
        return self._driver_end(driver.returncode)

    def _watch(self, driver: "subprocess.Popen[bytes]", started: float) -> _End | None:
        """Waits for the driver; returns an end if the driver must be killed."""
        last_size, last_progress, next_memory = -1, time.monotonic(), started
        while driver.poll() is None:
            now = time.monotonic()
            if self.stopping:
                return _End("interrupted", self.STOPPED)
            if now - started > self.spec.deadline_s:
                reason = f"deadline of {self.spec.deadline_s:g} s passed after {self._steps()} steps"
                return _End("failed", reason, "infrastructure")
            size = self.files.metrics.stat().st_size if self.files.metrics.exists() else 0
            if size != last_size:
                last_size, last_progress = size, now
                if size and self.first_step_s is None and self._steps():
                    self.first_step_s = now - started
            if now - last_progress > _STALL_S:
                return _End("interrupted", f"no progress for {_STALL_S:g} s after {self._steps()} steps")
            if now >= next_memory:
                self.peak_memory_mb = max(self.peak_memory_mb or 0.0, _tree_memory_mb())
                next_memory = now + _MEMORY_EVERY_S
            time.sleep(_POLL_S)
        return None

    def _steps(self) -> int:
        return max(read_metrics(self.files.metrics), default=0)

    def _driver_end(self, code: int) -> _End:
        if self.stopping:
            return _End("interrupted", self.STOPPED)
        if self.files.driver.exists():
            content = json.loads(self.files.driver.read_text(encoding="utf-8"))
            exported = content["outcome"] == "failed" and bool(content.get("export"))
            return _End(content["outcome"], content["reason"], content.get("failure"), exported)
        how = f"by signal {-code}" if code < 0 else f"by Ray or the system (code {code}): {_last_error(self.files.log)}"
        return _End("interrupted", f"the training process was ended {how}")

    def _conclude(self, end: _End, wall_s: float) -> RunResult:
        rows = self.files.run.metrics()
        if end.outcome == "done":
            fault = self._incomplete(set(rows))
            end = _End("failed", fault) if fault else end
        result = RunResult.model_validate(
            {
                "outcome": end.outcome,
                "failure": end.failure,
                "reason": end.reason,
                "attempt": self.files.number,
                "steps_done": max(rows, default=0),
                "wall_s": wall_s,
                "first_step_s": self.first_step_s,
                "peak_memory_mb": self.peak_memory_mb,
                "device_hours": wall_s / 3600 * self.spec.recipe.devices,
                "export": self.files.run.export.name if end.outcome == "done" or end.exported else None,
            }
        )
        text = result.model_dump_json(indent=1) + "\n"
        write_atomically(self.files.result, text)
        if end.outcome == "done" or end.failure == "training":
            shutil.rmtree(self.files.run.checkpoints, ignore_errors=True)
        if end.outcome != "interrupted":
            write_atomically(self.files.run.result, text)
        return result

    def _incomplete(self, steps: set[int]) -> str:
        """Why a run whose driver reported "done" is incomplete; empty if it is complete."""
        planned = set(range(1, self.spec.recipe.steps + 1))
        if steps != planned:
            return f"metrics hold {len(steps & planned)} of {len(planned)} planned steps"
        recorded = [record.step for record in read_records(self.files.run.delivery)]
        if recorded != sorted(planned):
            return f"the delivery record holds {len(recorded)} lines for {len(planned)} planned steps"
        return "" if (self.files.run.export / "config.json").is_file() else "the exported model is missing"

    def _remove_old_ray_folders(self) -> None:
        """Ray never removes its session folders; attempts that were killed could not."""
        for attempt in self.files.run.attempts():
            if attempt.ray_temp.exists():
                old = Path(attempt.ray_temp.read_text(encoding="utf-8").strip())
                if old.name.startswith("adv-") and old.parent == _short_temp():
                    shutil.rmtree(old, ignore_errors=True)


def _short_temp() -> Path:
    """Ray's socket paths must stay under 107 characters, so its folder must be short."""
    preferred = Path(tempfile.gettempdir())
    return preferred if len(str(preferred)) <= 25 else Path("/tmp")  # noqa: S108


def adopt_orphans() -> None:
    """On Linux, descendants whose parent ends become ours: Ray's processes can be found, and ended, by descent."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _tree_memory_mb() -> float:
    """Proportional set size of all descendants (shared pages counted once), in MB."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        try:
            memory = process.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
        total += getattr(memory, "pss", memory.rss)
    return total / 1e6


def end_descendants() -> None:
    """Ends every process that this attempt started, and reaps it."""
    for patience in (0.0, 2.0, 2.0):
        processes = psutil.Process().children(recursive=True)
        if not processes:
            return
        time.sleep(patience and 0.05)
        for process in processes:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(processes, timeout=patience or 2.0)


_PREFIX = re.compile(r"\x1b\[[0-9;]*m|^\([^)]*\)\s*")
_ERROR = re.compile(r"^(\w+\.)*\w*(Error|Exception|Interrupt)\b.*")


def _last_error(log: Path) -> str:
    """The last line of a log that names an exception, or where to look."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-2000:] if log.exists() else []
    plain = [_PREFIX.sub("", _PREFIX.sub("", line)).strip() for line in lines]
    errors = [line for line in plain if _ERROR.match(line)]
    return errors[-1][:300] if errors else f"see {log.parent.name}/{log.name}"
