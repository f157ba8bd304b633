"""What a person can do with a study: create, approve, start, follow, stop, resume, report."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path

from policies.errors import AdvisorError, BudgetError, InputError, RefusedError
from policies.model import StrictModel
from tools.plain_text import one_line
from tools.study.canonical import plan_hash
from tools.study.cost import default_ceiling
from tools.study.follow import REPORT, snapshot
from tools.study.ledger import Ledger
from tools.study.plan import StudyPlan
from tools.study.price import planned_power
from tools.study.retry import retry_failed
from tools.study.rows import ApprovalRow, StudyState
from tools.study.status import StudyStatus
from tools.study.stored import Stored
from tools.study.study import Study, check_unedited, studies_root, study_folders, study_id, write_exports
from training.launchers.base import ProcessIdentity
from training.launchers.environment import child_environment
from training.launchers.processes import host_name, is_alive, lock_holder, take_lock
from training.paths import demand_plain
from training.run_lock import is_locked

SUPERVISOR = (sys.executable, "-m", "tools.study.supervise")
_START_S = 60.0
_STOP_S = 60.0


class StudyLine(StrictModel):
    """A study in a list."""

    id: str
    folder: str
    state: StudyState | None
    """None: the ledger cannot be read, `reason` says why."""
    reason: str = ""
    seeds: int = 0
    seeds_scored: int = 0


def create_study(plan: StudyPlan, root: Path | None = None, *, day: date | None = None) -> Study:
    """Makes a new study folder with ledger and exports, state `planned`; an existing folder is never touched.

    Raises InputError for a folder in which no run could work, AdvisorError where it cannot be made.

    The same plan again makes another study, and its runs are done again: results are not shared between studies.
    """
    base = studies_root(root)
    demand_plain(base)
    name = study_id(plan, day or datetime.now(UTC).date())
    for number in range(1, 1000):
        folder = base / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise AdvisorError(
                f"cannot make {folder}: {error.strerror}; set ADVISOR_STUDIES to a folder of yours"
            ) from error
        study = Study(folder)
        try:
            with Ledger.create(folder / "study.db", folder.name, plan, planned_power(plan)) as ledger:
                ledger.event("planned", ledger.plan_hash())
                write_exports(study, ledger)
        except BaseException:  # half a study would look like a damaged one
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return study
    raise AdvisorError(f"{base} holds a thousand studies named {name}; remove some")


def unfinished_study(plan: StudyPlan, root: Path | None = None) -> Study | None:
    """The study in which this very plan, asked in the same words, waits to go on; None where there is none."""
    for folder in study_folders(studies_root(root)):
        study = Study(folder)
        with suppress(AdvisorError), study.ledger(read_only=True) as ledger:
            waits = ledger.study().state != "done"
            if waits and ledger.plan_hash() == plan_hash(plan) and ledger.plan().question == plan.question:
                return study
    return None


def list_studies(root: Path | None = None) -> tuple[StudyLine, ...]:
    """All studies under the root, by name; one that cannot be read is listed with its fault."""
    return tuple(_line(Study(folder)) for folder in study_folders(studies_root(root)))


def approve(study: Study, who: str, ceiling: float | None = None) -> ApprovalRow:
    """Records a person's yes to the current plan, up to `ceiling` device-hours (default: `cost.default_ceiling`).

    Raises InputError for an empty name or a ceiling that is not positive, RefusedError when `plan.yaml` was edited,
    BudgetError when the ceiling is above the plan's own budget.
    """
    who = one_line(who)
    if not who:
        raise InputError("an approval needs a name; give it with --by NAME")
    with study.ledger() as ledger:
        check_unedited(study, ledger)
        plan = ledger.plan()
        hours = default_ceiling(plan) if ceiling is None else ceiling
        if not 0 < hours < float("inf"):
            raise InputError(f"a ceiling of {hours} device-hours pays for nothing; give a positive number")
        if plan.budget_device_hours is not None and hours > plan.budget_device_hours:
            raise BudgetError(
                f"a ceiling of {hours:g} device-hours is above the plan's budget of {plan.budget_device_hours:g}; "
                f"give no more, or change the plan first: advisor amend {study.name} --budget {hours:g}"
            )
        row = ledger.approve(who, hours)
        if ledger.study().state == "planned":
            ledger.set_state("approved")
        ledger.event("approved", f"by {row.who}, up to {hours:g} device-hours, plan {row.plan_hash[:12]}")
        write_exports(study, ledger)
    return row


def start(study: Study, *, take_over: bool = False, supervisor: Sequence[str] = SUPERVISOR) -> StudyStatus:
    """Starts the detached supervisor of an approved study; does nothing when one is at work or the study is done.

    Raises RefusedError when the current plan is not approved or was edited.
    """
    if is_locked(study.lock):
        return snapshot(study)
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


def status(study: Study) -> StudyStatus:
    """How the study stands, with the delivery so far; `follow.watch` gives one after the other, without it."""
    from tools.study.delivered import delivery_so_far

    found = snapshot(study)
    stored = Stored.read(study)
    return found.model_copy(update={"delivery": delivery_so_far(study, stored, hidden=found.state != "done")})


def stop(study: Study) -> StudyStatus:
    """Stops the supervisor and its run, and waits for that; a run continues later from its last checkpoint.

    A supervisor that is being started just now is waited for first. Runs whose supervisor is gone are not touched:
    resume first. Raises RefusedError when a supervisor does not end.
    """
    asked: ProcessIdentity | None = None
    deadline = time.monotonic() + _STOP_S
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
                    f"{study.folder.name} is supervised by another user (process {holder.pid})"
                ) from error
            except ProcessLookupError:
                continue
        if time.monotonic() > deadline:
            raise RefusedError(
                f"the supervisor of {study.folder.name} did not stop in {_STOP_S:.0f} s; see {study.log}"
            )
        time.sleep(0.05)
    return snapshot(study)


def resume(study: Study, *, take_over: bool = False, supervisor: Sequence[str] = SUPERVISOR) -> StudyStatus:
    """Goes on with a study that stands still: adopts runs that live, continues interrupted ones, runs the rest.

    A failed run is made again with its seed, unless it failed in training: that is an outcome.
    `take_over`: you know that runs started on another host, or before a restart, do not run any more. Raises
    RefusedError like `start`.
    """
    if not is_locked(study.lock):
        retry_failed(study)
    return start(study, take_over=take_over, supervisor=supervisor)


def report(study: Study) -> Path:
    """Builds the report again from what is stored; needs no torch, GPU or network. Returns the Markdown file.

    Raises RefusedError while the study is not done: nobody sees scores by arm before.
    """
    from tools.study.evaluate import evaluate

    demand_done(study)
    return evaluate(study)


def answer(study: Study) -> str:
    """The title of the report, which answers the question; a report that is missing is built."""
    path = study.folder / REPORT
    if not path.is_file():
        report(study)
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), study.folder.name)


def demand_done(study: Study) -> None:
    """Raises RefusedError unless every planned seed is in: before that nobody sees scores by arm."""
    with study.ledger(read_only=True) as ledger:
        row = ledger.study()
    if row.state != "done":
        raise RefusedError(
            f"{study.folder.name} is {row.state}: scores by arm stay hidden until every planned seed is in; "
            f"go on with: advisor resume {study.name}"
        )


def _line(study: Study) -> StudyLine:
    try:
        current = snapshot(study)
    except (AdvisorError, OSError) as error:
        return StudyLine(id=study.folder.name, folder=str(study.folder), state=None, reason=str(error))
    return StudyLine(**current.model_dump(include={"id", "folder", "state", "reason", "seeds", "seeds_scored"}))


def _spawn(study: Study, seen: int, take_over: bool, supervisor: Sequence[str]) -> None:
    """Starts the supervisor in its own session and waits until it is at work, or has said why it is not."""
    argv = [*supervisor, str(study.folder), *(["--take-over"] if take_over else [])]
    starting = take_lock(study.starting)  # None: another one is starting it too, and tells whoever wants to stop it
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
    except KeyboardInterrupt:  # who leaves before it is at work takes it along
        process.terminate()
        raise


def _wait_at_work(study: Study, process: "subprocess.Popen[bytes]", seen: int, said_before: int) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        with study.ledger(read_only=True) as ledger:
            fresh = ledger.events(after=seen)
        if any(event.kind == "supervisor_started" for event in fresh):
            return
        code = process.poll()
        if code is not None:
            if is_locked(study.lock):  # another one was quicker
                return
            raise _not_started(study, code, said_before)
        time.sleep(0.02)
    raise AdvisorError(f"the supervisor of {study.folder.name} did not begin within {_START_S:.0f} s; see {study.log}")


def _not_started(study: Study, code: int, said_before: int) -> AdvisorError:
    """The supervisor's last words, with the kind of error that its exit code names."""
    lines = study.log.read_bytes()[said_before:].decode("utf-8", errors="replace").split("\n")
    said = next((line.split(" ", 1)[-1] for line in reversed(lines) if line.strip()), "")
    kinds = {RefusedError.exit_code: RefusedError, BudgetError.exit_code: BudgetError, InputError.exit_code: InputError}
    words = said or f"it ended with exit code {code}; see {study.log}"
    return kinds.get(code, AdvisorError)(f"{study.folder.name} was not started: {words}")
