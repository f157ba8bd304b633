"""From stored scores and records to the verdict of a study: each treatment on the seeds that it had to run."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from policies import registry
from policies.delivery import DeliveryRecord
from tools.report.material import Matching
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.critical import Critical, Repeated, fixed
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Verdict
from tools.study.delivery import compare_delivery
from tools.study.delivery_model import Delivery
from tools.study.plan import Arm
from tools.study.stored import Stored
from tools.study.study import Study
from training.run_files import RunFiles


def judge_study(study: Study, stored: Stored, rows: Sequence[ScoreRow], matching: Matching) -> Verdict:
    """The verdict; where the plan is sequential, from repeated intervals at the look that stopped each treatment."""
    if stored.plan.design is None:
        return _judge(study, stored, rows, matching, stored.plan.treatments, fixed)
    critical = Repeated(stored.plan.design)
    found = []
    for arm in stored.plan.treatments:  # one at a time: the control may have run on after a treatment had stopped
        seeds = stored.scheduled[arm.id]
        own = [row for row in rows if row.seed in seeds]
        found.append(_judge(study, stored, own, matching, (arm,), critical))
    return Verdict(suite=found[0].suite, comparisons=tuple(one for verdict in found for one in verdict.comparisons))


def ended_early(stored: Stored, arms: Sequence[str], seed: int) -> bool:
    """Whether a run of these arms failed in training at that seed, so that it has fewer steps than planned."""
    runs = [stored.run(arm, seed) for arm in arms]
    return any(run is not None and run.state == "failed" for run in runs)


def _judge(
    study: Study,
    stored: Stored,
    rows: Sequence[ScoreRow],
    matching: Matching,
    treatments: Sequence[Arm],
    critical: Critical,
) -> Verdict:
    plan = stored.plan
    mismatches: dict[str, list[str]] = {}
    for one in matching.differences:
        where = f"seed {one.seed}: {one.key} is {one.treatment_value!r}, in the control {one.control_value!r}"
        mismatches.setdefault(one.treatment, []).append(where)
    failures = {arm.id: 0 for arm in plan.arms}
    for run in stored.runs:
        failures[run.arm] = failures.get(run.arm, 0) + (run.state == "failed" and run.is_outcome)
    return judge(
        ScoreTable.from_rows(rows),
        plan.control.id,
        [arm.id for arm in treatments],
        plan.analysis,
        {arm.id: _delivery(study, stored, arm) for arm in treatments},
        failures,
        planned_seeds=stored.scheduled[treatments[0].id],
        mismatches=mismatches,
        critical=critical,
    )


def _delivery(study: Study, stored: Stored, treatment: Arm) -> Delivery:
    """Of the pairs that have scores. Where a run ended early, the steps that both made are compared."""
    plan = stored.plan
    ours, theirs = _records(study, stored, treatment), _records(study, stored, plan.control)
    ours, theirs = (
        {seed: arm[seed] for seed in stored.scored_pairs(treatment.id) if seed in arm} for arm in (ours, theirs)
    )
    for seed in ours.keys() & theirs.keys():
        if ended_early(stored, (treatment.id, plan.control.id), seed):
            steps = min(len(ours[seed]), len(theirs[seed]))
            ours[seed], theirs[seed] = ours[seed][:steps], theirs[seed][:steps]
    return compare_delivery(
        ours,
        theirs,
        plan.analysis.minimum_dose,
        plan.recipe.prompts_per_step,
        head_to_head=registry.get(plan.control.policy.name).family != "control",
    )


def _records(study: Study, stored: Stored, arm: Arm) -> Mapping[int, tuple[DeliveryRecord, ...]]:
    """Seed -> delivery records; a seed whose record is missing or damaged is left out, which the comparison names."""
    from training.verl_plugin.delivery_log import read_records

    found = {}
    for seed in stored.scheduled[arm.id]:
        run = stored.run(arm.id, seed)
        try:
            found[seed] = read_records(RunFiles(study.run_dir(run)).delivery) if run else ()
        except (OSError, UnicodeDecodeError, ValidationError):
            continue
    return found
