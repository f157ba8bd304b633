"""Reads the status of a study from the ledger and the metrics that its runs write; changes nothing."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.plan.cost import run_seconds, unit
from tools.plan.study_plan import Arm, StudyPlan
from tools.study.blinded import blind_view
from tools.study.folder import Study
from tools.study.rows import AttemptRow, LookRow, RunRow, StudyState
from tools.study.run_folder import json_lines, last_lines
from tools.study.schedule import scheduled_seeds
from tools.study.status import RunStatus, StudyStatus
from tools.text.numbers import finite
from training.recipe import Recipe
from training.run_files import RunFiles
from training.support.run_lock import is_locked

REWARD = "critic/rewards/mean"
STEP_SECONDS = "timing_s/step"
REPORT = Path("report") / "report.md"


class Progress(NamedTuple):
    """The progress of a run by its metrics."""

    step: int
    reward: float | None
    step_s: float | None
    """Mean over the last ten steps."""
    seen: float = 0.0
    """When the last step was written (Unix seconds)."""


def progress(run_dir: Path) -> Progress:
    """Reads the end of the newest attempt that has metrics; a torn last line is left out."""
    for attempt in reversed(RunFiles(run_dir).attempts()):
        rows = [row for row in json_lines(last_lines(attempt.metrics)) if isinstance(row.get("step"), int)]
        if rows:
            times = [value for row in rows[-10:] if (value := _metric(row, STEP_SECONDS)) is not None]
            step = max(row["step"] for row in rows)
            mean = sum(times) / len(times) if times else None
            return Progress(step, _metric(rows[-1], REWARD), mean, attempt.metrics.stat().st_mtime)
    return Progress(0, None, None)


def snapshot(study: Study) -> StudyStatus:
    """Returns the current status of a study. Raises AdvisorError or RefusedError if its ledger cannot be trusted."""
    with study.ledger(read_only=True) as ledger:
        row, plan, approval = ledger.study(), ledger.plan(), ledger.approval()
        runs, attempts, scored = ledger.runs(), ledger.attempts(), {score.run for score in ledger.scores()}
        spent, looks, blind = ledger.spent_device_hours(), ledger.looks(), blind_view(plan, ledger)
        plan_hash = ledger.plan_hash()
    state, reason = row.state, row.reason
    if state == "running" and not is_locked(study.lock):
        state, reason = "interrupted", "its supervisor is gone, but runs may still be running"
    scheduled = _scheduled(plan, looks)
    statuses = _runs(study, plan, scheduled, runs, attempts)
    folders = {run.id: study.run_dir(run) for run in runs}
    spent += sum(_open_hours(attempt, folders[attempt.run], plan.recipe) for attempt in attempts)
    complete = _complete_seeds(plan, scheduled, runs, scored)
    report = REPORT if (study.folder / REPORT).is_file() else None
    return StudyStatus(
        id=row.id,
        folder=str(study.folder),
        state=state,
        phase=row.phase if state == "running" else "",
        reason=reason,
        next=_next(study, state, approval is not None),
        plan_hash=plan_hash,
        approved_by=approval.who if approval else None,
        seeds=len({seed for seed, _ in scheduled}),
        seeds_scored=complete,
        blind=blind,
        runs=statuses,
        spent_device_hours=spent,
        ceiling_device_hours=approval.ceiling_device_hours if approval else None,
        device_hours_unit=unit(plan.recipe),
        eta_s=_study_eta(plan.recipe, statuses, scheduled, complete) if state == "running" else None,
        report=str(report) if report else None,
    )


def watch(study: Study, poll_s: float = 1.0) -> Iterator[StudyStatus]:
    """Yields snapshots until the study is no longer running; the last one has its final state."""
    while True:
        status = snapshot(study)
        yield status
        if not status.moves:
            return
        time.sleep(poll_s)


def _metric(row: dict[str, Any], name: str) -> float | None:
    data = row.get("data")
    return finite(data.get(name)) if isinstance(data, dict) else None


def _scheduled(plan: StudyPlan, looks: Sequence[LookRow]) -> list[tuple[int, str]]:
    """Seeds and arms that have run or may still run, in order."""
    seeds = scheduled_seeds(plan, looks)
    return [(seed, arm.id) for seed in plan.seeds for arm in plan.arms if seed in seeds[arm.id]]


def _runs(
    study: Study,
    plan: StudyPlan,
    scheduled: Sequence[tuple[int, str]],
    runs: tuple[RunRow, ...],
    attempts: tuple[AttemptRow, ...],
) -> tuple[RunStatus, ...]:
    """Runs by seed and arm; those not yet in the ledger count as planned."""
    known = {(plan.pair_of(row.arm, row.seed, row.replicate), row.arm): row for row in runs}
    arms = {arm.id: arm for arm in plan.arms}
    return tuple(_run_status(study, plan, seed, arms[arm], known.get((seed, arm)), attempts) for seed, arm in scheduled)


def _run_status(
    study: Study, plan: StudyPlan, seed: int, arm: Arm, row: RunRow | None, attempts: tuple[AttemptRow, ...]
) -> RunStatus:
    steps, place = plan.recipe.steps, plan.run_of(arm, seed)
    if row is None or row.state == "planned":
        eta = run_seconds(plan.recipe)
        return RunStatus(arm=arm.id, **place._asdict(), state="planned", steps=steps, eta_s=eta)
    mine = [attempt for attempt in attempts if attempt.run == row.id]
    seen = progress(study.run_dir(row))
    return RunStatus(
        arm=arm.id,
        **place._asdict(),
        state=row.state,
        reason=row.reason,
        attempts=len(mine),
        step=seen.step,
        steps=steps,
        reward=seen.reward,
        eta_s=run_eta(plan.recipe, seen, mine) if row.state in ("running", "interrupted") else None,
        device_hours=sum(
            (attempt.device_hours or 0.0) + _open_hours(attempt, study.run_dir(row), plan.recipe) for attempt in mine
        ),
    )


def run_eta(recipe: Recipe, seen: Progress, attempts: list[AttemptRow]) -> float:
    """Returns the wall seconds to a run's end; an attempt without a step starts up, then repeats from a checkpoint."""
    step_s = seen.step_s or recipe.cost.step_s
    begun = None if not attempts or attempts[-1].ended is not None else attempts[-1].started
    if begun is not None and seen.step and seen.seen >= begun:
        return max(0, recipe.steps - seen.step) * step_s
    kept = seen.step - seen.step % recipe.checkpoint_every
    startup = recipe.cost.startup_s - (0.0 if begun is None else time.time() - begun)
    return max(0, recipe.steps - kept) * step_s + max(0.0, startup)


def _open_hours(attempt: AttemptRow, run_dir: Path, recipe: Recipe) -> float:
    """Device-hours of an attempt without a recorded end: until now if it runs, else until its last output."""
    if attempt.ended is not None:
        return 0.0
    files = RunFiles(run_dir)
    until = time.time() if is_locked(files.lock) else files.last_sign()
    return max(0.0, until - attempt.started) / 3600 * recipe.devices


def _next(study: Study, state: StudyState, approved: bool) -> str:
    if state in ("running", "done"):
        return ""
    command = "approve" if not approved else "run" if state == "approved" else "resume"
    return f"advisor {command} {study.name}"


def _complete_seeds(
    plan: StudyPlan, scheduled: Sequence[tuple[int, str]], runs: tuple[RunRow, ...], scored: set[int]
) -> int:
    """Number of seeds at which every run has its scores or failed in training."""
    ended = [row for row in runs if row.id in scored or (row.is_outcome and row.state == "failed")]
    have = {(plan.pair_of(row.arm, row.seed, row.replicate), row.arm) for row in ended}
    wanted: dict[int, list[bool]] = {}
    for seed, arm in scheduled:
        wanted.setdefault(seed, []).append((seed, arm) in have)
    return sum(map(all, wanted.values()))


def _study_eta(
    recipe: Recipe, runs: tuple[RunStatus, ...], scheduled: Sequence[tuple[int, str]], complete: int
) -> float:
    """Wall seconds to the end of the study; for a sequential plan, if no look stops it."""
    seeds = max(1, len({seed for seed, _ in scheduled}))
    scoring = (1 - complete / seeds) * len(scheduled) * recipe.cost.scoring_s
    return sum(run.eta_s or 0.0 for run in runs) + scoring
