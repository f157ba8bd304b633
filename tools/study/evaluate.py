"""From what a study stored to its verdict and report; reads ledger and run files only, so it can be repeated."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from policies import registry
from policies.delivery import DeliveryRecord
from policies.errors import InputError, RefusedError
from tools.report.material import (
    Approval,
    Curve,
    Deviation,
    Matching,
    Mismatch,
    Outcome,
    ReportMaterial,
    ReportRun,
)
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.power_model import PowerStatement
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Verdict
from tools.study.delivery import compare_delivery
from tools.study.delivery_model import Delivery
from tools.study.follow import REWARD
from tools.study.matching import COMPARED, RunFacts, match_runs
from tools.study.plan import Arm, StudyPlan
from tools.study.rows import ApprovalRow, AttemptRow, EventRow, RunRow, StoredScore
from tools.study.run_keeper import read_result
from tools.study.study import Study
from training.run_files import RunFiles

RESPONSE_LENGTH = "response_length/mean"
_DEVIATIONS = frozenset({"amended", "attempt_lost", "attempt_stopped", "run_failed", "taken_over"})


class Stored(NamedTuple):
    """All that the ledger knows of a study."""

    id: str
    plan: StudyPlan
    plan_hash: str
    power: PowerStatement | None
    approval: ApprovalRow | None
    runs: tuple[RunRow, ...]
    attempts: tuple[AttemptRow, ...]
    scores: tuple[StoredScore, ...]
    events: tuple[EventRow, ...]

    @classmethod
    def read(cls, study: Study) -> "Stored":
        """Raises AdvisorError or RefusedError when the ledger cannot be trusted."""
        with study.ledger(read_only=True) as ledger:
            return cls(
                ledger.study().id,
                ledger.plan(),
                ledger.plan_hash(),
                ledger.power(),
                ledger.approval(),
                ledger.runs(),
                ledger.attempts(),
                ledger.scores(),
                ledger.events(),
            )

    def run(self, arm: str, seed: int) -> RunRow | None:
        """The done run of an arm at a seed."""
        rows = (row for row in self.runs if (row.arm, row.seed, row.replicate) == (arm, seed, self.plan.replicate))
        return next((row for row in rows if row.state == "done"), None)


def evaluate(study: Study) -> Path:
    """Writes verdict and report under `report/` and returns the Markdown file.

    Raises RefusedError when a planned seed is not scored in every arm: nobody sees scores before.
    """
    from tools.report.build import build_report

    return build_report(material(study), study.folder / "report")


def material(study: Study) -> ReportMaterial:
    """Everything that the report is made of."""
    stored = Stored.read(study)
    plan = stored.plan
    rows = score_rows(stored)
    matching = _matching(study, stored)
    verdict = _judge(study, stored, rows, matching)
    return ReportMaterial(
        study_id=stored.id,
        plan=plan,
        plan_hash=stored.plan_hash,
        verdict=verdict,
        scores=rows,
        power=stored.power,
        matching=matching,
        runs=tuple(_report_run(study, stored, row) for row in stored.runs),
        approval=_approval(stored.approval),
        deviations=tuple(
            Deviation(when=event.at, what=f"{event.kind.replace('_', ' ')}: {event.text}")
            for event in stored.events
            if event.kind in _DEVIATIONS
        ),
        curves=_curves(study, stored),
        outcomes=_outcomes(study, stored),
        hardware=_hardware(study, stored),
        versions=plan.versions,
        commands=_commands(stored),
    )


def score_rows(stored: Stored) -> tuple[ScoreRow, ...]:
    """Scores of every planned run. RefusedError naming the first seed that is not complete."""
    by_run: dict[int, list[StoredScore]] = {}
    for score in stored.scores:
        by_run.setdefault(score.run, []).append(score)
    rows = []
    for seed in stored.plan.seeds:
        for arm in stored.plan.arms:
            run = stored.run(arm.id, seed)
            if run is None or run.id not in by_run:
                raise RefusedError(
                    f"seed {seed} of {arm.id} has no scores yet, so nobody sees any; "
                    f"go on with: advisor resume {stored.id}"
                )
            rows += [
                ScoreRow(
                    arm=arm.id,
                    seed=seed,
                    suite=score.suite,
                    benchmark=score.benchmark,
                    domain=score.domain,
                    score=score.score,
                    questions=score.questions,
                    harness=score.harness,
                )
                for score in by_run[run.id]
            ]
    return tuple(rows)


def _judge(study: Study, stored: Stored, rows: tuple[ScoreRow, ...], matching: Matching) -> Verdict:
    plan = stored.plan
    mismatches: dict[str, list[str]] = {}
    for one in matching.differences:
        where = f"seed {one.seed}: {one.key} is {one.treatment_value!r}, in the control {one.control_value!r}"
        mismatches.setdefault(one.treatment, []).append(where)
    failures = {arm.id: 0 for arm in plan.arms}
    for run in stored.runs:
        failures[run.arm] = failures.get(run.arm, 0) + (run.state == "failed")
    return judge(
        ScoreTable.from_rows(rows),
        plan.control.id,
        [arm.id for arm in plan.treatments],
        plan.analysis,
        {arm.id: _delivery(study, stored, arm) for arm in plan.treatments},
        failures,
        planned_seeds=plan.seeds,
        mismatches=mismatches,
    )


def _delivery(study: Study, stored: Stored, treatment: Arm) -> Delivery:
    plan = stored.plan
    return compare_delivery(
        _records(study, stored, treatment),
        _records(study, stored, plan.control),
        plan.analysis.minimum_dose,
        plan.recipe.prompts_per_step,
        head_to_head=registry.get(plan.control.policy.name).family != "control",
    )


def _records(study: Study, stored: Stored, arm: Arm) -> Mapping[int, tuple[DeliveryRecord, ...]]:
    """Seed -> delivery records; a seed whose record is missing or damaged is left out, which the comparison names."""
    from training.verl_plugin.delivery_log import read_records

    found = {}
    for seed in stored.plan.seeds:
        run = stored.run(arm.id, seed)
        try:
            found[seed] = read_records(RunFiles(study.run_dir(run)).delivery) if run else ()
        except (OSError, UnicodeDecodeError, ValidationError):
            continue
    return found


def _matching(study: Study, stored: Stored) -> Matching:
    """Compares every treatment run with its control; a run whose record cannot be read counts as a difference."""
    plan, pairs, found = stored.plan, 0, []
    for seed in plan.seeds:
        control = _facts(study, stored, plan.control, seed)
        for arm in plan.treatments:
            pairs += 1
            treatment = _facts(study, stored, arm, seed)
            if isinstance(control, str) or isinstance(treatment, str):
                values = [facts if isinstance(facts, str) else "readable" for facts in (control, treatment)]
                found.append(_mismatch(arm, seed, "record of the run", values[0], values[1]))
                continue
            found += [_mismatch(arm, seed, one.key, one.a, one.b) for one in match_runs(control, treatment, seed)]
    return Matching(pairs=pairs, compared=COMPARED, differences=tuple(found))


def _facts(study: Study, stored: Stored, arm: Arm, seed: int) -> RunFacts | str:
    run = stored.run(arm.id, seed)
    if run is None:
        return "missing"
    try:
        return RunFacts.read(study.run_dir(run))
    except InputError as error:
        return str(error).replace(str(study.folder), "")


def _mismatch(arm: Arm, seed: int, key: str, control: str, treatment: str) -> Mismatch:
    return Mismatch(treatment=arm.id, seed=seed, key=key, control_value=control, treatment_value=treatment)


def _report_run(study: Study, stored: Stored, row: RunRow) -> ReportRun:
    attempts = [attempt for attempt in stored.attempts if attempt.run == row.id]
    result = read_result(study.run_dir(row))
    walls = [attempt.ended - attempt.started for attempt in attempts if attempt.ended is not None]
    return ReportRun(
        arm=row.arm,
        seed=row.seed,
        state=row.state,
        attempts=len(attempts),
        steps=result.steps_done if result else 0,
        wall_s=sum(walls) if walls else None,
        device_hours=sum(attempt.device_hours or 0.0 for attempt in attempts),
        reason=row.reason,
        folder=row.folder,
    )


def _approval(row: ApprovalRow | None) -> Approval | None:
    if row is None:
        return None
    return Approval(who=row.who, when=row.at, ceiling_device_hours=row.ceiling_device_hours)


def _series(study: Study, run: RunRow, metric: str) -> tuple[tuple[int, float], ...]:
    rows = RunFiles(study.run_dir(run)).metrics()
    return tuple((step, float(data[metric])) for step, data in rows.items() if metric in data)


def _curves(study: Study, stored: Stored) -> tuple[Curve, ...]:
    return tuple(
        Curve(arm=run.arm, seed=run.seed, points=points)
        for run in stored.runs
        if (points := _series(study, run, REWARD))
    )


def _outcomes(study: Study, stored: Stored) -> tuple[Outcome, ...]:
    """What a policy may change besides scores: response length, and what the run cost."""
    lengths: dict[str, dict[str, float]] = {}
    hours: dict[str, dict[str, float]] = {}
    for run in stored.runs:
        series = [value for _, value in _series(study, run, RESPONSE_LENGTH)]
        if series:
            lengths.setdefault(run.arm, {})[str(run.seed)] = sum(series) / len(series)
        spent = sum(attempt.device_hours or 0.0 for attempt in stored.attempts if attempt.run == run.id)
        hours.setdefault(run.arm, {})[str(run.seed)] = spent
    outcomes = (
        Outcome(name="response length", unit="tokens", values=lengths),
        Outcome(name="device-hours", unit="h", decimals=4, values=hours),
    )
    return tuple(outcome for outcome in outcomes if outcome.values)


def _hardware(study: Study, stored: Stored) -> dict[str, str]:
    for run in stored.runs:
        facts = _facts(study, stored, Arm(id=run.arm, role="control", policy=stored.plan.control.policy), run.seed)
        if isinstance(facts, RunFacts):
            return {"runs": facts.hardware}
    return {}


def _commands(stored: Stored) -> tuple[str, ...]:
    """What repeats the study, one run of it, and the report; parameters are read from the question again."""
    plan = stored.plan
    flags = {
        "--treatment": ",".join(arm.policy.name for arm in plan.treatments),
        "--control": plan.control.policy.name,
        "--recipe": plan.recipe.name,
        "--steps": str(plan.recipe.steps),
        "--seed-list": ",".join(str(seed) for seed in plan.seeds),
        "--confidence": f"{plan.analysis.confidence:g}",
        "--sesoi": f"{plan.analysis.sesoi:g}",
        "--summary": plan.analysis.primary,
    }
    if not plan.recipe.model.startswith("builtin:"):
        flags["--model"] = plan.recipe.model
    asked = shlex.join(["advisor", "ask", plan.question, *(word for flag in flags.items() for word in flag)])
    runs = (f"python -m training.run {run.folder}" for run in stored.runs)
    return (asked, *runs, f"advisor report {stored.id}")
