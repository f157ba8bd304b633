"""What ends a supervisor's work early, and the one loop in which it waits."""

import time
from collections.abc import Callable
from typing import NamedTuple

from tools.study.budget import rounded_up
from tools.study.ledger import Ledger
from tools.study.rows import StudyState
from tools.study.services import Services
from training.launchers.base import Job
from training.launchers.processes import age_s


class Halt(Exception):  # noqa: N818 - not an error: the study pauses in a named state
    """The study cannot go on now; what was done is kept."""

    def __init__(self, state: StudyState, reason: str, exit_code: int = 1) -> None:
        super().__init__(reason)
        self.state = state
        self.reason = reason
        self.exit_code = exit_code


class Waited(NamedTuple):
    """How a job ended."""

    code: int | None
    """None: it was stopped here."""
    device_hours: float


def how_ended(code: int) -> str:
    """An exit code in words."""
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"


class Session:
    """One supervisor's life: ledger, services, and whether somebody asked it to stop."""

    def __init__(self, ledger: Ledger, services: Services, *, ceiling: float, devices: int, take_over: bool) -> None:
        self.ledger = ledger
        self.services = services
        self.ceiling = ceiling
        self.devices = devices
        self.take_over = take_over
        self.stop_signal: int | None = None

    def request_stop(self, number: int, _frame: object = None) -> None:
        """Signal handler: sets a mark that every wait looks at."""
        self.stop_signal = number

    def event(self, kind: str, text: str) -> None:
        """Stores an event, then tells the observer."""
        self.ledger.event(kind, text)
        self.services.observe(kind)

    def check_stop(self) -> None:
        """Raises `Halt` when a stop was asked for."""
        if self.stop_signal is not None:
            raise Halt("stopped", "stopped on request", 143)

    def check_budget(self, expected: float, what: str) -> None:
        """Raises `Halt` (blocked) when starting something that costs `expected` device-hours would pass the ceiling."""
        spent = self.ledger.spent_device_hours()
        if spent + expected > self.ceiling + 1e-9:
            raise Halt(
                "blocked",
                f"budget: {spent:.3g} of {self.ceiling:.3g} approved device-hours are spent and {what} is expected to "
                f"take {expected:.3g}; approve a ceiling of at least {rounded_up(spent + expected)}",
                4,
            )

    def used_up(self, what: str) -> Halt:
        """Why something was stopped halfway: it reached the ceiling."""
        return Halt(
            "blocked",
            f"budget: {what} was stopped when the {self.ceiling:.3g} approved device-hours were used up, and continues "
            "from its last checkpoint; approve a higher ceiling",
            4,
        )

    def wait(self, job: Job, since: float) -> Waited:
        """Waits for the end of a job that began at `since` (Unix seconds).

        A stop request ends the job first, so that what it left behind can be recorded; so does a job that has used up
        the approved device-hours: the exit code is None then.
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
        """Device-hours of a job so far, counted by a clock that nobody can set."""
        age = None if job.identity is None else age_s(job.identity)
        already = self.hours(since) if age is None else age / 3600 * self.devices
        begun = time.monotonic()
        return lambda: already + (time.monotonic() - begun) / 3600 * self.devices

    def hours(self, since: float, until: float | None = None) -> float:
        """Device-hours of a job that began at `since` (Unix seconds)."""
        return max(0.0, (time.time() if until is None else until) - since) / 3600 * self.devices
