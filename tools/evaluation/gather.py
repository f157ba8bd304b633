"""From what a study stored to its verdict and report; reads ledger and run files only, so it can be repeated."""

from policies.errors import AdvisorError, InputError, RefusedError
from tools.evaluation.commands import commands
from tools.evaluation.delivered import delivery_so_far, ended_early
from tools.evaluation.judging import judge_study, spread_found
from tools.evaluation.matching import COMPARED, Apart, RunFacts, in_common, match_runs
from tools.evaluation.material import Approval, Deviation, LookRecord, Matching, Mismatch, ReportMaterial
from tools.evaluation.run_records import curves, damage, outcomes, report_run
from tools.plan.study_plan import Arm, StudyPlan
from tools.scores.table import ScoreRow
from tools.statistics.sequential.model import Look
from tools.study.folder import Study
from tools.study.rows import ApprovalRow
from tools.study.stored import Stored, stored_rows

_DEVIATIONS = frozenset(
    {"amended", "attempt_lost", "attempt_stopped", "run_failed", "run_retried", "taken_over", "unblinded"}
)


def material(study: Study) -> ReportMaterial:
    """Everything that the report is made of."""
    stored = Stored.read(study)
    plan = stored.plan
    rows = score_rows(stored)
    matching = _matching(study, stored)
    verdict = judge_study(study, stored, rows, matching)
    spread = None if plan.gives_verdict else spread_found(stored, rows, matching)
    return ReportMaterial(
        study_id=stored.id,
        plan=plan,
        plan_hash=stored.plan_hash,
        verdict=verdict,
        spread=spread,
        pilot_delivery=delivery_so_far(study, stored, hidden=False) if plan.kind == "pilot" else (),
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
        looks=_looks(stored),
        designs={arm.id: design for arm in plan.treatments if (design := stored.design_of(arm.id)) is not None},
        exploratory=next((row.exploratory for row in stored.amendments if row.exploratory), ""),
        curves=curves(study, stored),
        outcomes=outcomes(study, stored),
        hardware=_hardware(study, stored),
        versions=plan.versions,
        commands=commands(stored),
    )


def _looks(stored: Stored) -> tuple[LookRecord, ...]:
    """Those of a sequential plan, also where an amendment fixed the number of seeds later."""
    return tuple(
        LookRecord(treatment=row.treatment, blocks=row.blocks, look=Look.model_validate_json(row.look))
        for row in stored.looks
    )


def score_rows(stored: Stored) -> tuple[ScoreRow, ...]:
    """Scores of every run that had to be made; a run that failed in training may have none.

    RefusedError naming the first run that is missing, AdvisorError for scores that were not planned.
    """
    scored: dict[int, set[tuple[object, ...]]] = {}
    for row in stored.scores:
        scored.setdefault(row.run, set()).add((row.benchmark, row.domain, row.questions, row.sha256))
    planned = {(row.id, row.domain, row.questions, row.sha256) for row in stored.plan.benchmarks}
    scheduled = stored.scheduled
    for seed in stored.plan.seeds:
        for arm in (arm for arm, seeds in scheduled.items() if seed in seeds):
            run = stored.run(arm, seed)
            if run is None or (run.state == "done" and run.id not in scored):
                raise RefusedError(
                    f"seed {seed} of {arm} has no scores yet, so nobody sees any; "
                    f"go on with: advisor resume {stored.id}"
                )
            found = scored.get(run.id, planned)
            if found != planned:
                names = ", ".join(sorted({str(name) for name, *_ in found ^ planned}))
                raise AdvisorError(
                    f"the stored scores of {arm} seed {seed} are not those of the planned benchmarks ({names}); "
                    "restore study.db from a copy of the study folder"
                )
    return stored_rows(stored.plan, stored.runs, stored.scores, stored.plan.seeds)


def _matching(study: Study, stored: Stored) -> Matching:
    """Compares every treatment run with its control; a run whose record cannot be read counts as a difference.

    Pairs that are lost are left out. Where a run ended early, only the steps that both made are compared.
    """
    plan, apart, found = stored.plan, _apart(stored.plan), []
    scored = {arm.id: stored.scored_pairs(arm.id) for arm in plan.treatments}
    for seed in plan.seeds:
        for arm in (arm for arm in plan.treatments if seed in scored[arm.id]):
            control, treatment = _facts(study, stored, plan.control.id, seed), _facts(study, stored, arm.id, seed)
            if isinstance(control, str) or isinstance(treatment, str):
                values = [facts if isinstance(facts, str) else "readable" for facts in (control, treatment)]
                found.append(_mismatch(arm, seed, "record of the run", values[0], values[1]))
                continue
            if ended_early(stored, (plan.control.id, arm.id), seed):
                control, treatment = in_common(control, treatment)
            differences = match_runs(control, treatment, seed, apart)
            found += [_mismatch(arm, seed, one.key, one.a, one.b) for one in differences]
    return Matching(
        pairs=sum(map(len, scored.values())), compared=COMPARED, differences=tuple(found), apart=f"the {apart}"
    )


def _apart(plan: StudyPlan) -> Apart:
    if plan.kind != "noise":
        return "policy"
    return "seed" if plan.treatments[0].seed_offset else "replicate"


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
