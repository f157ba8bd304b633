"""Runs jobs as processes of this machine."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from training.launchers.base import LAUNCH_LOG, Job, Launcher, ProcessIdentity
from training.launchers.environment import child_environment
from training.launchers.processes import find_process, identify, is_alive
from training.support.run_lock import RUN_LOCK, is_locked


class LocalLauncher(Launcher):
    """Starts one process per job, each in its own session, with a whitelisted environment and no PYTHONPATH."""

    def __init__(
        self,
        run_command: Sequence[str] = (sys.executable, "-m", "training.run"),
        score_command: Sequence[str] = (sys.executable, "-m", "training.score"),
    ) -> None:
        self.run_command = tuple(run_command)
        self.score_command = tuple(score_command)

    def start_run(self, run_dir: Path) -> Job:
        """See `Launcher`; output goes to `launch.log` in the run directory."""
        return StartedJob(_spawn(self._run_argv(run_dir), run_dir))

    def find_run(self, run_dir: Path, identity: ProcessIdentity | None) -> Job | None:
        """See `Launcher`."""
        if identity is None or not is_alive(identity):
            identity = find_process(self._run_argv(run_dir))
        lock = run_dir / RUN_LOCK
        if identity is None and not is_locked(lock):
            return None
        return AdoptedJob(identity, lock)

    def start_scoring(self, jobs_file: Path) -> Job:
        """See `Launcher`; output goes to `launch.log` beside the file."""
        return StartedJob(_spawn((*self.score_command, str(jobs_file)), jobs_file.parent))

    def find_scoring(self, jobs_file: Path) -> Job | None:
        """See `Launcher`."""
        identity = find_process((*self.score_command, str(jobs_file)))
        return None if identity is None else AdoptedJob(identity, None)

    def _run_argv(self, run_dir: Path) -> tuple[str, ...]:
        return (*self.run_command, str(run_dir))


class StartedJob(Job):
    """A job that is a child of this process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._identity = identify(process.pid)

    @property
    def identity(self) -> ProcessIdentity | None:
        """The process; None if it ended before it could be identified."""
        return self._identity

    def poll(self) -> int | None:
        """Reaps the process; see `Job`."""
        return self._process.poll()

    def stop(self, grace_s: float) -> None:
        """See `Job`."""
        _stop_group(self._process.pid, lambda: self._process.poll() is not None, grace_s)


class AdoptedJob(Job):
    """A job that is a live process of another supervisor."""

    def __init__(self, identity: ProcessIdentity | None, lock: Path | None) -> None:
        self._identity = identity
        self._lock = lock

    @property
    def identity(self) -> ProcessIdentity | None:
        """The process; None if it is known only by its lock."""
        return self._identity

    def poll(self) -> int | None:
        """Returns None while the process runs or any process holds the run's lock, then 0."""
        alive = self._identity is not None and is_alive(self._identity)
        held = self._lock is not None and is_locked(self._lock)
        return None if alive or held else 0

    def stop(self, grace_s: float) -> None:
        """Stops the job as `Job` says; a process that cannot be found is not killed."""
        if self._identity is not None and is_alive(self._identity):
            _stop_group(self._identity.pid, lambda: self.poll() is not None, grace_s)


def _spawn(argv: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    with (folder / LAUNCH_LOG).open("ab") as log:
        log.truncate(0)
        return subprocess.Popen(
            argv,
            cwd=folder,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _stop_group(pid: int, gone: Callable[[], bool], grace_s: float) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    if _wait(gone, grace_s):
        return
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    _wait(gone, 10.0)


def _wait(gone: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not gone():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
