"""The state machine of a study: block, score, look, next block, report.

If it is killed at any point, its runs keep running and the next supervisor continues from the ledger; nothing is run
twice.
"""

import os
import signal
import sys
import traceback
from collections.abc import Sequence

from policies.errors import AdvisorError, RefusedError
from tools.plan.cost import deadline_seconds, run_device_hours
from tools.plan.run_identity import RunIdentity
from tools.plan.study_plan import Arm, StudyPlan
from tools.study.database import now
from tools.study.folder import Study, check_unedited, run_folder, write_exports
from tools.study.ledger import Ledger
from tools.study.looks import look_after, told_blind
from tools.study.rows import ApprovalRow, RunRow
from tools.study.schedule import arms_at
from tools.study.supervisor.block_scoring import score_block
from tools.study.supervisor.run_keeper import RunKeeper
from tools.study.supervisor.session import Halt, Services, Session
from training.launchers.processes import host_name, take_lock
from training.run_spec import RunSpec


def supervise(study: Study, services: Services, *, take_over: bool = False) -> int:
    """Runs the study until it is done or cannot continue; returns the exit code.

    Raises RefusedError if another supervisor is running or the ledger cannot be used. SIGTERM and SIGINT end the
    current run (it later continues from its last checkpoint) and mark the study stopped.
    """
    if not (study.folder / "study.db").is_file():
        raise AdvisorError(f"no study.db in {study.folder}; name a study folder")
    lock = take_lock(study.lock)
    if lock is None:
        raise RefusedError(f"another supervisor is running {study.folder}; follow it with: advisor status")
    try:
        with study.ledger() as ledger:
            return _run_to_end(study, ledger, services, take_over)
    finally:
        os.close(lock)


def plan_runs(
    plan: StudyPlan, ledger: Ledger, identity: RunIdentity, seeds: Sequence[int], arms: Sequence[Arm]
) -> None:
    """Adds a planned run for each of these seeds and arms, seed by seed; runs with a known key are unchanged."""
    with ledger.transaction():
        for seed in seeds:
            for arm in arms:
                spec = run_spec(plan, arm, seed)
                key = identity.run_key(spec, plan.artifacts, plan.versions)
                ledger.add_run(arm.id, spec.seed, spec.replicate, key, run_folder(plan, arm.id, spec.seed, key))


def run_spec(plan: StudyPlan, arm: Arm, seed: int) -> RunSpec:
    """Returns the specification of an arm's run at a seed of this plan."""
    place = plan.run_of(arm, seed)
    return RunSpec(
        recipe=plan.recipe,
        policy=arm.policy,
        seed=place.seed,
        replicate=place.replicate,
        deadline_s=deadline_seconds(plan.recipe),
    )


def _run_to_end(study: Study, ledger: Ledger, services: Services, take_over: bool) -> int:
    try:
        plan, approval = _demand_approved(study, ledger, services.identity)
    except AdvisorError as error:
        return _halted(ledger, Halt("blocked", str(error), error.exit_code), services)
    session = Session(
        ledger, services, ceiling=approval.ceiling_device_hours, devices=plan.recipe.devices, take_over=take_over
    )
    before = {number: signal.signal(number, session.request_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        ledger.set_state("running", phase="preparing")
        session.event("supervisor_started", f"pid {os.getpid()} on {host_name()}")
        _work(session, study, plan)
    except Halt as halt:
        return _halted(ledger, halt, services)
    except AdvisorError as error:
        return _halted(ledger, Halt("blocked", str(error), error.exit_code), services)
    except Exception as error:
        traceback.print_exc()
        ledger.event("error", traceback.format_exc())
        detail = " ".join(f"{type(error).__name__}: {error}".split())
        return _halted(ledger, Halt("interrupted", f"unexpected: {detail}; see {study.log.name}"), services)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _demand_approved(study: Study, ledger: Ledger, identity: RunIdentity) -> tuple[StudyPlan, ApprovalRow]:
    check_unedited(study, ledger)
    plan = ledger.plan()
    approval = ledger.approval()
    if approval is None:
        raise RefusedError(f"the current plan of {study.folder.name} is not approved")
    for what, planned, found in (
        ("artifact", plan.artifacts, identity.artifacts(plan.recipe)),
        ("package", plan.versions, identity.versions()),
    ):
        for name in sorted({*planned, *found}):
            if planned.get(name) != found.get(name):
                raise RefusedError(
                    f"{what} {name} is {found.get(name, 'missing')[:16]} here but "
                    f"{planned.get(name, 'absent')[:16]} in the approved plan, so runs would not be matched; "
                    "install the planned version, or plan a new study"
                )
    return plan, approval


def _work(session: Session, study: Study, plan: StudyPlan) -> None:
    ledger = session.ledger
    write_exports(study, ledger)
    identity = session.services.identity
    if plan.design is None:
        plan_runs(plan, ledger, identity, plan.seeds, plan.arms)
        session.event("runs_planned", f"{len(plan.seeds)} seeds x {len(plan.arms)} arms")
    keeper = RunKeeper(session, study.folder)
    for block, seed in enumerate(plan.seeds, start=1):
        arms = arms_at(plan, ledger.looks(), block)
        if not arms:
            break
        plan_runs(plan, ledger, identity, [seed], arms)
        where = f"seed {seed} ({block} of {'at most ' if plan.design else ''}{len(plan.seeds)})"
        _run_block(session, study, plan, keeper, seed, arms, where)
        _look(session, plan, block)
    session.check_stop()
    ledger.set_state("running", phase="evaluating")
    session.event("evaluation_started", "")
    session.services.evaluate(study)
    ledger.set_state("done")
    session.event("study_done", "")


def _run_block(
    session: Session, study: Study, plan: StudyPlan, keeper: RunKeeper, seed: int, arms: Sequence[Arm], where: str
) -> None:
    """Trains these arms at one seed, then scores them."""
    ledger, specs = session.ledger, {arm.id: run_spec(plan, arm, seed) for arm in arms}
    for run in _block(plan, ledger, seed, arms):
        session.check_stop()
        ledger.set_state("running", phase=f"{where}: training {run.arm}")
        keeper.finish(run, specs[run.arm], _expected_hours(plan, ledger))
    session.check_stop()
    ledger.set_state("running", phase=f"{where}: scoring")
    score_block(session, study, plan, seed, _block(plan, ledger, seed, arms))


def _look(session: Session, plan: StudyPlan, blocks: int) -> None:
    """Takes the looks that are due and records their blinded outcome."""
    before = len(session.ledger.looks())
    fresh = look_after(plan, session.ledger, blocks)[before:]
    if fresh:
        session.event("looked", told_blind(fresh))


def _block(plan: StudyPlan, ledger: Ledger, seed: int, arms: Sequence[Arm]) -> tuple[RunRow, ...]:
    """The runs of one seed in arm order."""
    order = {arm.id: place for place, arm in enumerate(arms)}
    wanted = {(arm.id, *plan.run_of(arm, seed)) for arm in arms}
    rows = [row for row in ledger.runs() if (row.arm, row.seed, row.replicate) in wanted]
    return tuple(sorted(rows, key=lambda row: order[row.arm]))


def _expected_hours(plan: StudyPlan, ledger: Ledger) -> float:
    """Expected device-hours of the next run: the mean of this study's done runs, else the recipe's estimate."""
    done = {row.id for row in ledger.runs() if row.state == "done"}
    hours = [row.device_hours for row in ledger.attempts() if row.run in done and row.device_hours]
    if not hours:
        return run_device_hours(plan.recipe)
    return sum(hours) / len(done)


def _halted(ledger: Ledger, halt: Halt, services: Services) -> int:
    ledger.set_state(halt.state, reason=halt.reason)
    ledger.event(halt.state, halt.reason)
    sys.stderr.write(f"{now()} {halt.state}: {halt.reason}\n")
    services.observe(halt.state)
    return halt.exit_code
