"""From stored scores and records to the verdict of a study: each treatment on the seeds that it had to run."""

from collections.abc import Sequence

from tools.report.material import Matching
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.critical import Critical, Repeated, fixed
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Verdict
from tools.study.delivered import delivery_of
from tools.study.plan import Arm
from tools.study.stored import Stored
from tools.study.study import Study


def judge_study(study: Study, stored: Stored, rows: Sequence[ScoreRow], matching: Matching) -> Verdict:
    """The verdict; where the plan is sequential, from repeated intervals at the look that stopped each treatment.

    Without comparison where the study was made for the spread alone.
    """
    if not stored.plan.gives_verdict:
        return Verdict(suite=stored.plan.recipe.suite, comparisons=())
    if stored.plan.design is None:
        return _judge(study, stored, rows, matching, stored.plan.treatments, fixed)
    found = []
    for arm in stored.plan.treatments:  # one at a time: the control may have run on after a treatment had stopped
        seeds = stored.scheduled[arm.id]
        own = [row for row in rows if row.seed in seeds]
        design = stored.design_of(arm.id)
        assert design is not None
        found.append(_judge(study, stored, own, matching, (arm,), Repeated(design)))
    return Verdict(suite=found[0].suite, comparisons=tuple(one for verdict in found for one in verdict.comparisons))


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
        {arm.id: delivery_of(study, stored, arm, stored.scored_pairs(arm.id)) for arm in treatments},
        failures,
        planned_seeds=stored.scheduled[treatments[0].id],
        mismatches=mismatches,
        critical=critical,
    )
