"""Identifies processes by host, boot, pid and start time, and provides the lock for one supervisor."""

import fcntl
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from policies.errors import AdvisorError
from training.launchers.base import ProcessIdentity


@cache
def host_name() -> str:
    """Returns the host's name, with a hash of its machine id if it has one."""
    name = platform.node() or "unknown"
    with suppress(OSError):
        machine = Path("/etc/machine-id").read_text(encoding="ascii").strip()
        if machine:
            name += "/" + hashlib.sha256(machine.encode()).hexdigest()[:8]
    return name


@cache
def boot_id() -> str:
    """Returns an id that differs after each boot of the machine."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    import psutil

    return str(int(psutil.boot_time()))


def process_started(pid: int) -> float | None:
    """Returns when a live process began (clock ticks since boot on Linux, else seconds); None: gone, or a zombie."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        return None if fields[0] in "ZX" else float(fields[19])
    import psutil

    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            return float(process.create_time())
    return None


def identify(pid: int) -> ProcessIdentity | None:
    """Returns the identity of a live process on this machine, or None."""
    started = process_started(pid)
    return None if started is None else ProcessIdentity(host_name(), boot_id(), pid, started)


def is_here(host: str, boot: str) -> bool:
    """Returns whether a recorded process belongs to this machine and its current boot."""
    return (host, boot) == (host_name(), boot_id())


def is_alive(identity: ProcessIdentity) -> bool:
    """Returns whether exactly this process still runs on this machine."""
    return is_here(identity.host, identity.boot_id) and process_started(identity.pid) == identity.started


def age_s(identity: ProcessIdentity) -> float | None:
    """Returns the seconds since a live local process began, independent of clock changes; None if unknown."""
    if sys.platform != "linux" or not is_alive(identity):
        return None
    return time.clock_gettime(time.CLOCK_BOOTTIME) - identity.started / os.sysconf("SC_CLK_TCK")


def find_process(argv: Sequence[str]) -> ProcessIdentity | None:
    """Returns a live process of this user with exactly this command line, or None."""
    import psutil

    wanted, me = list(argv), os.getuid()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.cmdline() == wanted and process.uids().real == me:
                identity = identify(process.pid)
                if identity is not None:
                    return identity
    return None


def lock_holder(path: Path) -> ProcessIdentity | None:
    """Returns the process that took the lock last, as written by `take_lock`; None if that is unreadable."""
    try:
        host, boot, pid, started = json.loads(path.read_bytes())
        return ProcessIdentity(str(host), str(boot), int(pid), float(started))
    except (OSError, ValueError, TypeError):
        return None


def take_lock(path: Path, patience_s: float = 0.5) -> int | None:
    """Takes the exclusive flock on a file (created if missing) and returns its descriptor, or None if it is taken.

    Tries for `patience_s` seconds, since checking a lock holds it for an instant. Writes the holder into the file.
    Raises AdvisorError if the file cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise AdvisorError(f"cannot lock {path}: {error.strerror}; fix that, then try again") from error
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                return None
            time.sleep(0.01)
        else:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(identify(os.getpid())).encode(), 0)
            return descriptor
