"""Brings one run to its end, exactly once: reuses a result, adopts a live process, or starts one."""

import time
from pathlib import Path
from typing import Literal

from policies.errors import InputError
from tools.study.files import last_lines, last_sign
from tools.study.rows import AttemptRow, Outcome, RunRow
from tools.study.watch import Halt, Session, Waited, how_ended
from training.launchers.base import Job, ProcessIdentity
from training.launchers.processes import boot_id, host_name, is_here
from training.run_files import RunFiles, read_spec, write_atomically
from training.run_spec import RunResult, RunSpec


class RunKeeper:
    """Works on one run of a study at a time."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._session = session
        self._ledger = session.ledger
        self._folder = folder

    def finish(self, run: RunRow, spec: RunSpec, expected_hours: float) -> None:
        """Returns when the run has ended for good; raises `Halt` when it was interrupted or must not be started.

        A run that failed in training is an outcome of its arm, and never made again; any other failure halts. A process
        that lives is waited for, never started a second time. Its run directory may hold a result that an earlier
        supervisor did not live to record.
        """
        run_dir = self._folder / run.folder
        if run.is_outcome:
            return
        if run.state == "failed":
            raise _blocked(run, run.reason)
        attempt = self._open_attempt(run)
        if attempt is not None:
            self._demand_here(run, attempt)
        job = self._session.services.launcher.find_run(run_dir, _recorded(attempt))
        if job is not None and job.identity is not None:
            self._adopt(run, attempt, job, run_dir)
            return
        if job is not None:
            attempt = self._await_lock(run, attempt, job)
        result = read_result(run_dir, spec)
        if result is not None:
            self._record(run, attempt, result)
            return
        if attempt is not None:
            ended = max(last_sign(run_dir), attempt.started)
            hours = min(self._session.hours(attempt.started, ended), self._session.hours(0.0, spec.deadline_s))
            self._lose(run, attempt, "lost", "its process vanished while no supervisor watched", ended, hours)
        self._start(run, spec, run_dir, expected_hours)

    def _open_attempt(self, run: RunRow) -> AttemptRow | None:
        mine = [row for row in self._ledger.attempts() if row.run == run.id and row.ended is None]
        return mine[-1] if mine else None

    def _demand_here(self, run: RunRow, attempt: AttemptRow) -> None:
        if is_here(attempt.host, attempt.boot_id):
            return
        if self._session.take_over:
            self._session.event("taken_over", f"{_name(run)}, started on {attempt.host}")
            return
        where = "before this machine was restarted" if attempt.host == host_name() else f"on {attempt.host}"
        raise Halt(
            "interrupted",
            f"{_name(run)} was started {where}, so whether it still runs cannot be seen from here; "
            "when it does not, resume with --take-over",
            3,
        )

    def _start(self, run: RunRow, spec: RunSpec, run_dir: Path, expected_hours: float) -> None:
        self._session.check_stop()
        self._session.check_budget(expected_hours, _name(run))
        run_dir.mkdir(parents=True, exist_ok=True)
        write_atomically(RunFiles(run_dir).spec, spec.model_dump_json(indent=2) + "\n")
        attempt = self._ledger.open_attempt(run.id, host_name(), boot_id())
        self._ledger.set_run_state(run.id, "running")
        self._session.event("attempt_intended", _name(run))
        job = self._session.services.launcher.start_run(run_dir)
        self._session.services.observe("process_started")
        self._note_process(attempt, job)
        self._session.event("run_started", _name(run))
        self._watch(run, job, run_dir)

    def _adopt(self, run: RunRow, attempt: AttemptRow | None, job: Job, run_dir: Path) -> None:
        number = self._ledger.open_attempt(run.id, host_name(), boot_id()) if attempt is None else attempt.id
        self._note_process(number, job)
        self._ledger.set_run_state(run.id, "running")
        self._session.event("run_adopted", _name(run))
        self._watch(run, job, run_dir)

    def _await_lock(self, run: RunRow, attempt: AttemptRow | None, job: Job) -> AttemptRow:
        """Waits for whoever holds a run's lock and cannot be found: a run that was started by hand, or what is left of
        one that was killed."""
        if attempt is None:
            self._ledger.open_attempt(run.id, host_name(), boot_id())
        self._ledger.set_run_state(run.id, "running")
        self._session.event("lock_awaited", _name(run))
        waited = self._session.wait(job, time.time())
        self._session.check_stop()
        if waited.code is None:
            raise self._session.used_up(_name(run))
        opened = self._open_attempt(run)
        assert opened is not None, run
        return opened

    def _note_process(self, attempt: int, job: Job) -> None:
        if job.identity is not None:
            self._ledger.attempt_process(attempt, *job.identity)

    def _watch(self, run: RunRow, job: Job, run_dir: Path) -> None:
        attempt = self._open_attempt(run)
        assert attempt is not None, run
        code: int | None = 0
        while True:
            ended, hours = self._session.wait(job, attempt.started)
            code = code if ended == 0 else ended  # an adopted process has no exit code of its own to give
            # Two supervisors in a row may each have started a process before the first one took the run's lock: the
            # second process leaves at once, and the one that holds the lock is the run.
            other = self._session.services.launcher.find_run(run_dir, None) if ended else None
            if other is None:
                break
            job = other
            self._note_process(attempt.id, job)
        result = read_result(run_dir)
        if result is not None:
            self._record(run, attempt, result)
            self._session.check_stop()
            return
        self._halt_without_result(run, attempt, Waited(code, hours), run_dir)

    def _halt_without_result(self, run: RunRow, attempt: AttemptRow, waited: Waited, run_dir: Path) -> None:
        code, ended = waited.code, max(time.time(), attempt.started)
        if self._session.stop_signal is not None:
            self._lose(run, attempt, "stopped", "stopped on request", ended, waited.device_hours)
            self._session.check_stop()
        if code is None:
            reason = "the approved device-hours were used up"
            self._lose(run, attempt, "stopped", reason, ended, waited.device_hours)
            raise self._session.used_up(_name(run))
        words = last_lines(run_dir / "launch.log")
        said = f": {words[-1].strip()}" if words else ""
        reason = f"ended without a result ({how_ended(code) if code else 'how is not known'}){said}"
        self._lose(run, attempt, "lost", reason, ended, waited.device_hours)
        if code == 2:
            raise Halt("blocked", f"{_name(run)} cannot run{said or ' (exit code 2)'}; mend that")
        raise Halt("interrupted", f"{_name(run)} {reason}; it continues from its last checkpoint")

    def _record(self, run: RunRow, attempt: AttemptRow | None, result: RunResult) -> None:
        outcome: Literal["done", "failed"] = "done" if result.outcome == "done" else "failed"
        with self._ledger.transaction():
            if attempt is not None:
                ended = attempt.started + result.wall_s
                self._ledger.close_attempt(attempt.id, outcome, result.reason, result.device_hours, ended)
            self._ledger.set_run_state(run.id, outcome, result.reason, result.failure)
        self._session.event(f"run_{outcome}", f"{_name(run)} {result.reason}".strip())
        if outcome == "failed" and result.failure != "training":
            raise _blocked(run, result.reason)

    def _lose(
        self, run: RunRow, attempt: AttemptRow, outcome: Outcome, reason: str, ended: float, hours: float
    ) -> None:
        with self._ledger.transaction():
            self._ledger.close_attempt(attempt.id, outcome, reason, hours, ended)
            self._ledger.set_run_state(run.id, "interrupted", reason)
        self._session.event(f"attempt_{outcome}", f"{_name(run)} {reason}")


def read_result(run_dir: Path, spec: RunSpec | None = None) -> RunResult | None:
    """The final result of a run directory, or None where there is none.

    Raises InputError for a damaged result, and with `spec` for one that `run.json` did not ask for.
    """
    files = RunFiles(run_dir)
    result = files.final_result()
    if result is None or result.outcome == "interrupted":
        return None
    if spec is not None and _identity(read_spec(files)) != _identity(spec):
        raise InputError(
            f"{files.spec} is not what this study asks for, yet the run has a result: move {run_dir} away to make the "
            "run again"
        )
    return result


def _identity(spec: RunSpec) -> tuple[object, ...]:
    """What two specifications of the same run have in common: all but deadline, labels and checkpoint interval."""
    return spec.recipe.held_fixed(), spec.policy, spec.seed, spec.replicate


def _recorded(attempt: AttemptRow | None) -> ProcessIdentity | None:
    if attempt is None or attempt.pid is None or attempt.process_started is None:
        return None
    return ProcessIdentity(attempt.host, attempt.boot_id, attempt.pid, attempt.process_started)


def _blocked(run: RunRow, reason: str) -> Halt:
    return Halt(
        "blocked",
        f"{_name(run)} failed: {reason or 'no reason given'}; this tells nothing about its arm: see its train.log and "
        "mend the cause; a resume makes the run again with the same seed",
    )


def _name(run: RunRow) -> str:
    return f"run {run.arm} seed {run.seed}"
