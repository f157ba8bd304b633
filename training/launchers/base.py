"""The interface for starting the processes of a study: runs and scorings."""

from pathlib import Path
from typing import NamedTuple, Protocol

LAUNCH_LOG = "launch.log"
"""What a job's process says before it opens its own log, and its last words; of the latest process only."""


class ProcessIdentity(NamedTuple):
    """The identity of one process among all machines and boots."""

    host: str
    boot_id: str
    pid: int
    started: float
    """Clock ticks since boot at which the process began, which differ for a reused pid."""


class Job(Protocol):
    """A process that was started or adopted."""

    @property
    def identity(self) -> ProcessIdentity | None:
        """The process; None if a run's lock is held but its process cannot be found."""

    def poll(self) -> int | None:
        """Returns None while the process runs, then its exit code, or 0 for an adopted process."""

    def stop(self, grace_s: float) -> None:
        """Sends SIGTERM, waits up to `grace_s` seconds, then kills the process group."""


class Launcher(Protocol):
    """Starts jobs in separate sessions, so that they outlive the process that started them."""

    def start_run(self, run_dir: Path) -> Job:
        """Starts `python -m training.run RUN_DIR` with the run directory as cwd."""

    def find_run(self, run_dir: Path, identity: ProcessIdentity | None) -> Job | None:
        """Returns the live process that works on a run directory, or None.

        It is found by its lock, by a recorded identity, or by its command line, since a supervisor may have died
        between starting a process and recording it.
        """

    def start_scoring(self, jobs_file: Path) -> Job:
        """Starts `python -m training.score JOBS.json` with the file's folder as cwd."""

    def find_scoring(self, jobs_file: Path) -> Job | None:
        """Returns the live process that scores this jobs file, or None."""
