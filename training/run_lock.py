"""The lock that says a run directory is being worked in."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from policies.errors import InputError


class RunLock:
    """An exclusive flock. A child that inherits `descriptor` keeps it held until it has ended too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = -1

    def __enter__(self) -> "RunLock":
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self.descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(self.descriptor)
            raise InputError(f"{self.path.parent} is being run by process {holder}; wait for it or stop it") from error
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, str(os.getpid()).encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


def is_locked(path: Path) -> bool:
    """Whether some process works in the run directory of this lock file."""
    if not path.exists():
        return False
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
