"""The supervisor as a process: start, stop, and resume with failed runs prepared for a retry."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from policies.errors import AdvisorError, BudgetError, InputError, RefusedError
from tools.study.folder import Study, check_unedited
from tools.study.follow import snapshot
from tools.study.ledger import Ledger
from tools.study.rows import RunRow
from tools.study.status import StudyStatus
from training.fast_start import is_wanted
from training.launchers.base import ProcessIdentity
from training.launchers.environment import child_environment
from training.launchers.processes import host_name, is_alive, lock_holder, take_lock
from training.run_files import RunFiles
from training.support.run_lock import is_locked

SUPERVISOR = (sys.executable, "-m", "tools.supervise")
START_S, STOP_S = 60.0, 60.0
"""How long a supervisor is waited for, to be at work and to be gone."""


def start(study: Study, *, take_over: bool = False, supervisor: Sequence[str] = SUPERVISOR) -> StudyStatus:
    """Starts the detached supervisor of an approved study; does nothing if one is running or the study is done.

    Raises RefusedError when the current plan is not approved or was edited, InputError as `fast_start.is_wanted` does.
    """
    if is_locked(study.lock):
        return snapshot(study)
    is_wanted()
    with study.ledger() as ledger:
        check_unedited(study, ledger)
        ledger.plan()
        if ledger.approval() is None:
            raise RefusedError(
                f"the plan of {study.folder.name} is not approved (or was changed since); approve it: advisor approve "
                f"{study.name}"
            )
        if ledger.study().state == "done":
            return snapshot(study)
        seen = max((event.id for event in ledger.events()), default=0)
    _spawn(study, seen, take_over, supervisor)
    return snapshot(study)


def stop(study: Study) -> StudyStatus:
    """Stops the supervisor and its run and waits until they end; the run can continue from its last checkpoint.

    Waits first for a supervisor that is just being started. Runs whose supervisor is gone are not stopped: resume
    first. Raises RefusedError if a supervisor does not end.
    """
    asked: ProcessIdentity | None = None
    deadline = time.monotonic() + STOP_S
    while is_locked(study.lock) or is_locked(study.starting):
        holder = lock_holder(study.lock)
        if holder is not None and holder.host != host_name():
            raise RefusedError(f"{study.folder.name} is supervised on {holder.host}; stop it there")
        if holder is not None and holder != asked and is_alive(holder):
            asked = holder
            try:
                os.kill(holder.pid, signal.SIGTERM)
            except PermissionError as error:
                raise RefusedError(
                    f"{study.folder.name} is supervised by another user (process {holder.pid}), who must stop it"
                ) from error
            except ProcessLookupError:
                continue
        if time.monotonic() > deadline:
            raise RefusedError(f"the supervisor of {study.folder.name} did not stop in {STOP_S:.0f} s; see {study.log}")
        time.sleep(0.05)
    return snapshot(study)


def resume(study: Study, *, take_over: bool = False, supervisor: Sequence[str] = SUPERVISOR) -> StudyStatus:
    """Resumes a study that is not running: adopts live runs, continues interrupted ones, runs the rest.

    A failed run is repeated with its seed, unless it failed in training, which is an outcome.
    `take_over`: the caller knows that runs started on another host, or before a restart, no longer run. Raises
    RefusedError like `start`.
    """
    if not is_locked(study.lock):
        retry_failed(study)
    return start(study, take_over=take_over, supervisor=supervisor)


def _spawn(study: Study, seen: int, take_over: bool, supervisor: Sequence[str]) -> None:
    """Starts the supervisor in its own session and waits until it is running or has reported why it is not."""
    argv = [*supervisor, str(study.folder), *(["--take-over"] if take_over else [])]
    starting = take_lock(study.starting)  # None: another process is starting it too and holds the lock for `stop`
    with study.log.open("ab") as log:
        said_before = log.tell()
        process = subprocess.Popen(
            argv,
            cwd=study.folder,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=() if starting is None else (starting,),
        )
    if starting is not None:
        os.close(starting)
    try:
        _wait_at_work(study, process, seen, said_before)
    except KeyboardInterrupt:  # interrupted before the supervisor is running: end it too
        process.terminate()
        raise


def _wait_at_work(study: Study, process: "subprocess.Popen[bytes]", seen: int, said_before: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with study.ledger(read_only=True) as ledger:
            fresh = ledger.events(after=seen)
        if any(event.kind == "supervisor_started" for event in fresh):
            return
        code = process.poll()
        if code is not None:
            if is_locked(study.lock):  # another supervisor was faster
                return
            raise _not_started(study, code, said_before)
        time.sleep(0.02)
    raise AdvisorError(f"the supervisor of {study.folder.name} did not start within {START_S:.0f} s; see {study.log}")


def _not_started(study: Study, code: int, said_before: int) -> AdvisorError:
    """The supervisor's last line of output, as the kind of error that its exit code stands for."""
    lines = study.log.read_bytes()[said_before:].decode("utf-8", errors="replace").split("\n")
    said = next((line.split(" ", 1)[-1] for line in reversed(lines) if line.strip()), "")
    kinds = {RefusedError.exit_code: RefusedError, BudgetError.exit_code: BudgetError, InputError.exit_code: InputError}
    words = said or f"it ended with exit code {code}; see {study.log}"
    return kinds.get(code, AdvisorError)(f"{study.folder.name} was not started: {words}")


def retry_failed(study: Study) -> tuple[RunRow, ...]:
    """Prepares failed runs for a retry from their last checkpoint, and returns them; the study must not be running.

    A run that failed in training is not retried: repeating it until it survives would select survivors. The end of
    each attempt stays recorded in its own folder and in the ledger.
    """
    with study.ledger(read_only=True) as ledger:
        failed = tuple(run for run in ledger.runs() if run.state == "failed" and not run.is_outcome)
    if failed:
        with study.ledger() as ledger:
            for run in failed:
                _make_ready(study, ledger, run)
    return failed


def _make_ready(study: Study, ledger: Ledger, run: RunRow) -> None:
    """Ledger first: with the file deleted first, a kill in between would leave a failed run without a result."""
    with ledger.transaction():
        ledger.set_run_state(run.id, "interrupted", run.reason)
        ledger.event("run_retried", f"run {run.arm} seed {run.seed}, which failed: {run.reason}")
    RunFiles(study.run_dir(run)).result.unlink(missing_ok=True)
