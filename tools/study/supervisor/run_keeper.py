"""Completes one run exactly once: reuses a result, adopts a live process, or starts one."""

import time
from pathlib import Path
from typing import Literal

from tools.study.rows import AttemptRow, Outcome, RunRow
from tools.study.run_folder import last_lines, read_result
from tools.study.supervisor.session import Halt, Session, Waited, how_ended
from training.launchers.base import Job, ProcessIdentity
from training.launchers.processes import boot_id, host_name, is_here
from training.run_files import RunFiles, write_atomically
from training.run_spec import RunResult, RunSpec


class RunKeeper:
    """Completes the runs of a study one at a time."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._session = session
        self._ledger = session.ledger
        self._folder = folder

    def finish(self, run: RunRow, spec: RunSpec, expected_hours: float) -> None:
        """Returns once the run has ended permanently; raises `Halt` if it was interrupted or must not be started.

        A run that failed in training is an outcome of its arm and is never repeated; any other failure halts. A live
        process is waited for, never started a second time. The run directory may hold a result that an earlier
        supervisor did not record before it ended.
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
            ended = max(RunFiles(run_dir).last_sign(), attempt.started)
            hours = min(self._session.hours(attempt.started, ended), self._session.hours(0.0, spec.deadline_s))
            self._lose(run, attempt, "lost", "its process vanished while no supervisor was running", ended, hours)
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
            f"{_name(run)} was started {where}, so it cannot be checked from here whether it still runs; "
            "if it does not, resume with --take-over",
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
        """Waits for an unidentified process that holds a run's lock: a run started by hand, or the remains of a killed
        one."""
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
            code = code if ended == 0 else ended  # the exit code of an adopted process is not available
            # Two successive supervisors may each have started a process before the first process took the run's lock:
            # the second process exits at once, and the one that holds the lock is the run.
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
        words = last_lines(RunFiles(run_dir).launch_log)
        said = f": {words[-1].strip()}" if words else ""
        reason = f"ended without a result ({how_ended(code) if code else 'cause unknown'}){said}"
        self._lose(run, attempt, "lost", reason, ended, waited.device_hours)
        if code == 2:
            raise Halt("blocked", f"{_name(run)} cannot run{said or ' (exit code 2)'}; fix that, then resume")
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


def _recorded(attempt: AttemptRow | None) -> ProcessIdentity | None:
    if attempt is None or attempt.pid is None or attempt.process_started is None:
        return None
    return ProcessIdentity(attempt.host, attempt.boot_id, attempt.pid, attempt.process_started)


def _blocked(run: RunRow, reason: str) -> Halt:
    return Halt(
        "blocked",
        f"{_name(run)} failed: {reason or 'no reason given'}; this is not evidence about its arm: see its train.log "
        "and fix the cause; a resume repeats the run with the same seed",
    )


def _name(run: RunRow) -> str:
    return f"run {run.arm} seed {run.seed}"
