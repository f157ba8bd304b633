"""Scores the finished runs of one seed block in one process, and stores the scores in the ledger."""

import hashlib
import json
import time
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from policies.model import describe_faults
from tools.plan.study_plan import StudyPlan
from tools.study.folder import Study
from tools.study.rows import Outcome, RunRow, StoredScore
from tools.study.run_folder import last_lines, read_result
from tools.study.supervisor.session import Halt, Session, how_ended
from training.launchers.base import LAUNCH_LOG
from training.run_files import write_atomically
from training.scoring import SCORES, SuiteScores


class _Pending(NamedTuple):
    run: RunRow
    key: str
    answers: Path


def score_key(run_key: str, plan: StudyPlan) -> str:
    """Returns the key of a run's scores, 64 hex digits: a hash of the run, the suite and each benchmark's content."""
    content = [run_key, plan.recipe.suite, sorted((row.id, row.sha256) for row in plan.benchmarks)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def score_block(session: Session, study: Study, plan: StudyPlan, seed: int, runs: tuple[RunRow, ...]) -> None:
    """Returns once every run of the block has its scores in the ledger; raises `Halt` if that is impossible.

    A run that failed in training is scored at its last finite checkpoint; without a checkpoint it has no scores.
    A scored run is not scored again, whether its scores are in the ledger or only in its answers folder.
    """
    scored = {row.run for row in session.ledger.scores()}
    missing = [run for run in runs if run.id not in scored and not _left_nothing(study, run)]
    if not missing:
        return
    pending = [_pending(study, plan, run) for run in missing]
    if not all((entry.answers / SCORES).is_file() for entry in pending):
        _run_scoring(session, study, plan, seed, pending)
    for entry in pending:
        session.ledger.add_scores(_rows(entry, plan))
    session.event("block_scored", f"seed {seed}: {len(runs)} runs")


def _left_nothing(study: Study, run: RunRow) -> bool:
    """Whether a run failed in training before its first checkpoint."""
    if run.state != "failed":
        return False
    result = read_result(study.run_dir(run))
    return result is None or result.export is None


def _pending(study: Study, plan: StudyPlan, run: RunRow) -> _Pending:
    key = score_key(run.run_key, plan)
    return _Pending(run, key, study.answers_dir(plan, run, key))


def _run_scoring(session: Session, study: Study, plan: StudyPlan, seed: int, pending: list[_Pending]) -> None:
    session.check_stop()
    jobs = []
    for entry in pending:
        run_dir = study.run_dir(entry.run)
        result = read_result(run_dir)
        if result is None or not result.export or not (run_dir / result.export).is_dir():
            raise Halt("blocked", f"run {entry.run.arm} seed {seed} has no exported model at {run_dir}; restore it")
        jobs.append({"export": str(run_dir / result.export), "suite": plan.recipe.suite, "answers": str(entry.answers)})
    jobs_file = study.folder / "scoring" / f"seed-{seed}" / "jobs.json"
    jobs_file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(jobs_file, json.dumps({"jobs": jobs}, indent=2) + "\n")
    scoring = session.ledger.open_scoring(seed)
    session.event("scoring_started", f"seed {seed}")
    started = time.time()
    launcher = session.services.launcher
    job = launcher.find_scoring(jobs_file) or launcher.start_scoring(jobs_file)
    code, hours = session.wait(job, started)
    complete = all((entry.answers / SCORES).is_file() for entry in pending)
    outcome: Outcome = "done" if complete else "stopped" if code is None else "failed"
    session.ledger.close_scoring(scoring, outcome, hours)
    if complete:
        return
    session.check_stop()
    if code is None:
        raise session.used_up(f"the scoring of seed {seed}")
    words = last_lines(jobs_file.parent / LAUNCH_LOG)
    said = f": {words[-1].strip()}" if words else ""
    raise Halt("interrupted", f"scoring of seed {seed} ended without scores ({how_ended(code)}){said}")


def _rows(entry: _Pending, plan: StudyPlan) -> list[StoredScore]:
    """The scores of a run, checked against the plan: nothing else is ever stored."""
    path = entry.answers / SCORES
    try:
        found = SuiteScores.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise Halt("blocked", f"{path} is missing; delete its folder to score the run again") from error
    except ValidationError as error:
        raise Halt("blocked", f"{path} is damaged ({describe_faults(error)}); delete its folder") from error
    wanted = {(row.id, row.domain, row.questions, row.sha256) for row in plan.benchmarks}
    got = {(row.benchmark, row.domain, row.questions, row.sha256) for row in found.scores}
    if found.suite != plan.recipe.suite or wanted != got or len(found.scores) != len(wanted):
        odd = sorted({name for name, *_ in wanted ^ got}) or [found.suite]
        raise Halt(
            "blocked", f"{path} was not made with the planned benchmarks ({', '.join(odd)} differ); delete its folder"
        )
    return [
        StoredScore(
            entry.run.id,
            entry.key,
            found.suite,
            row.benchmark,
            row.domain,
            row.score,
            row.questions,
            row.sha256,
            found.harness,
        )
        for row in found.scores
    ]
