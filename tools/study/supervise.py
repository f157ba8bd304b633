"""The supervisor: takes an approved study to its report: block, score, look, next block.

    python -m tools.study.supervise STUDY_DIR [--take-over]

It needs neither a terminal nor an LLM. Killed at any point, it leaves runs that live on and a ledger from which the
next supervisor continues; nothing is run twice. Exit codes: 0 done, 1 interrupted or blocked, 3 refused, 4 budget,
143 stopped.
"""

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from policies.errors import AdvisorError, RefusedError
from tools.study.block_scoring import score_block
from tools.study.cost import deadline_seconds, run_device_hours
from tools.study.ledger import Ledger
from tools.study.ledger_core import now
from tools.study.looks import look_after, told_blind
from tools.study.plan import Arm, StudyPlan
from tools.study.rows import ApprovalRow, RunRow
from tools.study.run_keeper import RunKeeper
from tools.study.schedule import arms_at
from tools.study.services import RunIdentity, Services
from tools.study.study import Study, check_unedited, run_folder, write_exports
from tools.study.watch import Halt, Session
from training.launchers.processes import host_name, take_lock
from training.run_spec import RunSpec


def supervise(study: Study, services: Services, *, take_over: bool = False) -> int:
    """Works until the study is done or cannot go on; returns the exit code.

    Raises RefusedError when another supervisor is at work, and when the ledger cannot be used. SIGTERM and SIGINT end
    the current run (it continues from its last checkpoint later) and mark the study stopped.
    """
    if not (study.folder / "study.db").is_file():
        raise AdvisorError(f"no study.db in {study.folder}; name a study folder")
    lock = take_lock(study.lock)
    if lock is None:
        raise RefusedError(f"another supervisor is at work on {study.folder}; follow it with: advisor status")
    try:
        with study.ledger() as ledger:
            return _run_to_end(study, ledger, services, take_over)
    finally:
        os.close(lock)


def plan_runs(
    plan: StudyPlan, ledger: Ledger, identity: RunIdentity, seeds: Sequence[int], arms: Sequence[Arm]
) -> None:
    """Writes a planned run for each of these seeds and arms, seed by seed; runs whose key is known stay as they are."""
    with ledger.transaction():
        for seed in seeds:
            for arm in arms:
                spec = run_spec(plan, arm, seed)
                key = identity.run_key(spec, plan.artifacts, plan.versions)
                ledger.add_run(arm.id, spec.seed, spec.replicate, key, run_folder(plan, arm.id, spec.seed, key))


def run_spec(plan: StudyPlan, arm: Arm, seed: int) -> RunSpec:
    """What the run of an arm at a seed of this plan is told to do."""
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
        ledger,
        services,
        ceiling=approval.ceiling_device_hours,
        devices=plan.recipe.devices,
        take_over=take_over,
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
                    "install what was planned, or plan a new study"
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
    """Takes the looks that are due, and says blindly what came of them."""
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
    """Device-hours of the next run: the mean of this study's done runs, else the recipe's estimate."""
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


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that closes ends nothing
    folders = [argument for argument in arguments if argument != "--take-over"]
    if len(folders) != 1:
        sys.stderr.write("usage: python -m tools.study.supervise STUDY_DIR [--take-over]\n")
        return 2
    try:
        return supervise(Study(Path(folders[0]).absolute()), Services.installed(), take_over="--take-over" in arguments)
    except AdvisorError as error:
        sys.stderr.write(f"{now()} {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"{now()} cannot use {error.filename}: {error.strerror}; mend that, then resume\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
