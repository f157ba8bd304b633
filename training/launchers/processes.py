"""Which process is which: host, boot, pid and start time, and a lock for one supervisor."""

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
    """The host's name, with a mark of its machine id where it has one."""
    name = platform.node() or "unknown"
    with suppress(OSError):
        machine = Path("/etc/machine-id").read_text(encoding="ascii").strip()
        if machine:
            name += "/" + hashlib.sha256(machine.encode()).hexdigest()[:8]
    return name


@cache
def boot_id() -> str:
    """Differs after each start of the machine; empty where the system has none to give."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    import psutil

    return str(int(psutil.boot_time()))


def process_started(pid: int) -> float | None:
    """When a live process began (clock ticks since boot on Linux, seconds elsewhere); None: gone, or a zombie."""
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
    """The identity of a live process on this machine, or None."""
    started = process_started(pid)
    return None if started is None else ProcessIdentity(host_name(), boot_id(), pid, started)


def is_here(host: str, boot: str) -> bool:
    """Whether a recorded process belongs to this machine as it runs now."""
    return (host, boot) == (host_name(), boot_id())


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether exactly this process still runs on this machine."""
    return is_here(identity.host, identity.boot_id) and process_started(identity.pid) == identity.started


def age_s(identity: ProcessIdentity) -> float | None:
    """Seconds since a live process of this machine began, whatever its clock was set to meanwhile; None: not known."""
    if sys.platform != "linux" or not is_alive(identity):
        return None
    return time.clock_gettime(time.CLOCK_BOOTTIME) - identity.started / os.sysconf("SC_CLK_TCK")


def find_process(argv: Sequence[str]) -> ProcessIdentity | None:
    """A live process of this user with exactly this command line, or None."""
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
    """Who took the lock last, as `take_lock` wrote it there; None where nothing readable is written."""
    try:
        host, boot, pid, started = json.loads(path.read_bytes())
        return ProcessIdentity(str(host), str(boot), int(pid), float(started))
    except (OSError, ValueError, TypeError):
        return None


def take_lock(path: Path, patience_s: float = 0.5) -> int | None:
    """Takes the exclusive flock on a file (made when missing): the descriptor that holds it, or None if taken.

    It tries for a moment: whoever looks whether a lock is held holds it for an instant. Who holds it is written there.
    Raises AdvisorError when the file cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise AdvisorError(f"cannot lock {path}: {error.strerror}; mend that, then try again") from error
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
