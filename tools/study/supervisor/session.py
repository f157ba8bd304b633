"""A supervisor's session: the conditions that halt it, and the one loop in which it waits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tools.plan.run_identity import InstalledIdentity, RunIdentity
from tools.study.folder import Study
from tools.study.ledger import Ledger
from tools.study.rows import StudyState
from tools.text.numbers import rounded_up
from training.launchers.base import Job, Launcher
from training.launchers.processes import age_s


def _unobserved(_moment: str) -> None:
    return None


def _local_launcher() -> Launcher:
    from training.launchers.local import LocalLauncher

    return LocalLauncher()


@dataclass(frozen=True)
class Services:
    """The services of a supervisor: launcher, run identity, evaluation and observer."""

    launcher: Launcher
    identity: RunIdentity
    evaluate: Callable[[Study], object]
    """Writes the report from stored data; called once every block is scored."""
    observe: Callable[[str], None] = _unobserved
    """Called with the kind of every event after it is stored, and with `process_started` before its pid is stored."""
    poll_s: float = 0.2
    grace_s: float = 20.0
    """How long a run may take to end after SIGTERM."""

    @classmethod
    def installed(cls, evaluate: Callable[[Study], object]) -> "Services":
        """Returns the services of this installation, with processes on this machine."""
        return cls(launcher=_local_launcher(), identity=InstalledIdentity(), evaluate=evaluate)


class Halt(Exception):  # noqa: N818 - not an error: the study pauses in a named state
    """Raised when the study cannot continue for now; completed work is kept."""

    def __init__(self, state: StudyState, reason: str, exit_code: int = 1) -> None:
        super().__init__(reason)
        self.state = state
        self.reason = reason
        self.exit_code = exit_code


class Waited(NamedTuple):
    """How a job ended."""

    code: int | None
    """Exit code; None: this supervisor stopped the job."""
    device_hours: float


def how_ended(code: int) -> str:
    """Describes an exit code in words."""
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


class Session:
    """The state of one supervisor: ledger, services, limits and a requested stop."""

    def __init__(self, ledger: Ledger, services: Services, *, ceiling: float, devices: int, take_over: bool) -> None:
        self.ledger = ledger
        self.services = services
        self.ceiling = ceiling
        self.devices = devices
        self.take_over = take_over
        self.stop_signal: int | None = None

    def request_stop(self, number: int, _frame: object = None) -> None:
        """Handles a signal by recording a stop request, which every wait checks."""
        self.stop_signal = number

    def event(self, kind: str, text: str) -> None:
        """Stores an event, then calls the observer."""
        self.ledger.event(kind, text)
        self.services.observe(kind)

    def check_stop(self) -> None:
        """Raises `Halt` if a stop was requested."""
        if self.stop_signal is not None:
            raise Halt("stopped", "stopped on request", 143)

    def check_budget(self, expected: float, what: str) -> None:
        """Raises `Halt` (blocked) if starting work of `expected` device-hours would exceed the ceiling."""
        spent = self.ledger.spent_device_hours()
        if spent + expected > self.ceiling + 1e-9:
            raise Halt(
                "blocked",
                f"budget: {spent:.3g} of {self.ceiling:.3g} approved device-hours are spent and {what} is expected to "
                f"need {expected:.3g}; approve a ceiling of at least {rounded_up(spent + expected)}",
                4,
            )

    def used_up(self, what: str) -> Halt:
        """Returns the `Halt` (blocked) for work that was stopped at the ceiling."""
        return Halt(
            "blocked",
            f"budget: {what} was stopped when the {self.ceiling:.3g} approved device-hours were used up, and continues "
            "from its last checkpoint; approve a higher ceiling",
            4,
        )

    def wait(self, job: Job, since: float) -> Waited:
        """Waits for the end of a job that began at `since` (Unix seconds).

        On a stop request, or once the approved device-hours are used up, ends the job first, so that its state can be
        recorded; the exit code is None then.
        """
        before = self.ledger.spent_device_hours()
        hours = self._clock(job, since)
        while (code := job.poll()) is None:
            if self.stop_signal is not None or before + hours() > self.ceiling:
                job.stop(self.services.grace_s)
                break
            time.sleep(self.services.poll_s)
        return Waited(code, hours())

    def _clock(self, job: Job, since: float) -> Callable[[], float]:
        """Device-hours of a job so far, by a monotonic clock that cannot be set."""
        age = None if job.identity is None else age_s(job.identity)
        already = self.hours(since) if age is None else age / 3600 * self.devices
        begun = time.monotonic()
        return lambda: already + (time.monotonic() - begun) / 3600 * self.devices

    def hours(self, since: float, until: float | None = None) -> float:
        """Returns the device-hours of a job from `since` to `until` (Unix seconds; default: now)."""
        return max(0.0, (time.time() if until is None else until) - since) / 3600 * self.devices
