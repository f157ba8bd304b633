"""From what a study stored to its verdict and report; reads ledger and run files only, so it can be repeated."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from policies import registry
from policies.delivery import DeliveryRecord
from policies.errors import AdvisorError, InputError, RefusedError
from tools.report.material import Approval, Deviation, Matching, Mismatch, ReportMaterial
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Verdict
from tools.study.delivery import compare_delivery
from tools.study.delivery_model import Delivery
from tools.study.matching import COMPARED, RunFacts, match_runs
from tools.study.plan import Arm
from tools.study.rows import ApprovalRow, StoredScore
from tools.study.run_records import curves, damage, outcomes, report_run
from tools.study.stored import Stored
from tools.study.study import Study
from training.run_files import RunFiles

_DEVIATIONS = frozenset({"amended", "attempt_lost", "attempt_stopped", "run_failed", "taken_over"})


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
        runs=tuple(report_run(study, stored, row) for row in stored.runs),
        scoring_device_hours=stored.scoring_device_hours,
        approval=_approval(stored.approval),
        deviations=(
            *(
                Deviation(when=event.at, what=f"{event.kind.replace('_', ' ')}: {event.text}")
                for event in stored.events
                if event.kind in _DEVIATIONS
            ),
            *damage(study, stored),
        ),
        curves=curves(study, stored),
        outcomes=outcomes(study, stored),
        hardware=_hardware(study, stored),
        versions=plan.versions,
        commands=_commands(stored),
    )


def score_rows(stored: Stored) -> tuple[ScoreRow, ...]:
    """Scores of every planned run.

    RefusedError naming the first seed that is not complete, AdvisorError for scores that were not planned.
    """
    by_run: dict[int, list[StoredScore]] = {}
    for score in stored.scores:
        by_run.setdefault(score.run, []).append(score)
    rows = []
    planned = {(row.id, row.domain, row.questions, row.sha256) for row in stored.plan.benchmarks}
    for seed in stored.plan.seeds:
        for arm in stored.plan.arms:
            run = stored.run(arm.id, seed)
            if run is None or run.id not in by_run:
                raise RefusedError(
                    f"seed {seed} of {arm.id} has no scores yet, so nobody sees any; "
                    f"go on with: advisor resume {stored.id}"
                )
            scored = {(row.benchmark, row.domain, row.questions, row.sha256) for row in by_run[run.id]}
            if scored != planned:
                names = ", ".join(sorted({name for name, *_ in scored ^ planned}))
                raise AdvisorError(
                    f"the stored scores of {arm.id} seed {seed} are not those of the planned benchmarks ({names}); "
                    "restore study.db from a copy of the study folder"
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
        control = _facts(study, stored, plan.control.id, seed)
        for arm in plan.treatments:
            pairs += 1
            treatment = _facts(study, stored, arm.id, seed)
            if isinstance(control, str) or isinstance(treatment, str):
                values = [facts if isinstance(facts, str) else "readable" for facts in (control, treatment)]
                found.append(_mismatch(arm, seed, "record of the run", values[0], values[1]))
                continue
            found += [_mismatch(arm, seed, one.key, one.a, one.b) for one in match_runs(control, treatment, seed)]
    return Matching(pairs=pairs, compared=COMPARED, differences=tuple(found))


def _facts(study: Study, stored: Stored, arm: str, seed: int) -> RunFacts | str:
    """Of the done run, or in words why there are none."""
    run = stored.run(arm, seed)
    if run is None:
        return "missing"
    try:
        return RunFacts.read(study.run_dir(run))
    except InputError as error:
        return str(error).replace(str(study.folder), "")


def _mismatch(arm: Arm, seed: int, key: str, control: str, treatment: str) -> Mismatch:
    return Mismatch(treatment=arm.id, seed=seed, key=key, control_value=control, treatment_value=treatment)


def _approval(row: ApprovalRow | None) -> Approval | None:
    if row is None:
        return None
    return Approval(who=row.who, when=row.at, ceiling_device_hours=row.ceiling_device_hours)


def _hardware(study: Study, stored: Stored) -> dict[str, str]:
    for run in stored.runs:
        facts = _facts(study, stored, run.arm, run.seed)
        if isinstance(facts, RunFacts):
            return {"runs": facts.recorded.hardware}
    return {}


_AGAIN = (
    'for run in runs/*/*/*/*; do mkdir -p "again/$run" && cp "$run/run.json" "again/$run/" && '
    'python -m training.run "again/$run"; done'
)


def _commands(stored: Stored) -> tuple[str, ...]:
    """What repeats the study, its runs, and the report; parameters are read from the question again."""
    plan = stored.plan
    flags = {
        "--treatment": ",".join(arm.policy.name for arm in plan.treatments),
        "--control": plan.control.policy.name,
        "--recipe": plan.recipe.name,
        "--steps": str(plan.recipe.steps),
        "--seed-list": ",".join(str(seed) for seed in plan.seeds),
        "--confidence": f"{plan.analysis.confidence:g}",
        "--sesoi": f"{plan.analysis.primary_sesoi:g}",
        "--summary": plan.analysis.primary,
    }
    if not plan.recipe.model.startswith("builtin:"):
        flags["--model"] = plan.recipe.model
    asked = shlex.join(["advisor", "ask", plan.question, *(word for flag in flags.items() for word in flag)])
    return (
        "# the same plan as a new study",
        asked,
        "# every run again, from this study's folder",
        _AGAIN,
        "# this report, from what is stored",
        f"advisor report {stored.id}",
    )
