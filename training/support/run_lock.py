"""The lock that marks a run directory as in use."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType

from policies.errors import InputError

RUN_LOCK = "run.lock"
"""Its file's name in a run directory."""
_LOOKING_S = 0.5
"""`is_locked` holds the lock for an instant, so a taken lock is tried again for this long."""


class RunLock:
    """An exclusive flock; a child that inherits `descriptor` holds it until the child has ended too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = -1

    def __enter__(self) -> "RunLock":
        patience = time.monotonic() + _LOOKING_S
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        while not _taken(self.descriptor):
            if time.monotonic() > patience:
                holder = os.read(self.descriptor, 32).decode(errors="replace").strip() or "unknown"
                os.close(self.descriptor)
                raise InputError(f"{self.path.parent} is in use by process {holder}; wait for it or stop it")
            time.sleep(0.05)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, str(os.getpid()).encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


def is_locked(path: Path) -> bool:
    """Returns whether a process holds this lock file; works in read-only folders too."""
    if not path.exists():
        return False
    writable = os.access(path, os.W_OK)  # a network filesystem wants that for an exclusive lock
    descriptor = os.open(path, os.O_RDWR if writable else os.O_RDONLY)
    try:
        return not _taken(descriptor)
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
