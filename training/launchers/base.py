"""What starts processes for a study: runs and scorings."""

from pathlib import Path
from typing import NamedTuple, Protocol


class ProcessIdentity(NamedTuple):
    """Names one process among all machines and boots."""

    host: str
    boot_id: str
    pid: int
    started: float
    """Clock ticks since boot at which the process began; a reused pid has another one."""


class Job(Protocol):
    """A process that was started or adopted."""

    @property
    def identity(self) -> ProcessIdentity | None:
        """Which process; None when a run holds its lock but its process cannot be found."""

    def poll(self) -> int | None:
        """None while it lives. Its exit code afterwards; an adopted process has none to give, so 0."""

    def stop(self, grace_s: float) -> None:
        """Asks it to end (SIGTERM), waits up to `grace_s` seconds, then kills its process group."""


class Launcher(Protocol):
    """Starts jobs in sessions of their own: they outlive whoever started them."""

    def start_run(self, run_dir: Path) -> Job:
        """Starts `python -m training.run RUN_DIR` with the run directory as cwd."""

    def find_run(self, run_dir: Path, identity: ProcessIdentity | None) -> Job | None:
        """The live process that works on a run directory, or None.

        It is found by the lock it holds, by its identity where one was recorded, or by its command line: a supervisor
        may have died between starting a process and recording it.
        """

    def start_scoring(self, jobs_file: Path) -> Job:
        """Starts `python -m training.score JOBS.json` with the file's folder as cwd."""

    def find_scoring(self, jobs_file: Path) -> Job | None:
        """The live process that scores this jobs file, or None."""
