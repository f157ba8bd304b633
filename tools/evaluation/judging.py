"""From stored scores and records to the verdict of a study: each treatment on the seeds that it had to run."""

from collections.abc import Iterator, Sequence

from policies.errors import InputError
from tools.evaluation.delivered import delivery_of
from tools.evaluation.material import Matching
from tools.plan.prior import Prior
from tools.plan.study_plan import Arm, StudyPlan
from tools.scores import integrity
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.paired import Critical, fixed
from tools.statistics.power.model import PowerStatement
from tools.statistics.sequential.repeated import Repeated
from tools.statistics.spread.spread_study import SpreadStudy, pilot_study
from tools.statistics.verdict import judge
from tools.statistics.verdict_model import Verdict
from tools.study.folder import Study
from tools.study.stored import Stored


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


def spread_found(stored: Stored, rows: Sequence[ScoreRow], matching: Matching) -> SpreadStudy:
    """Nothing in it tells one arm of a pilot from another.

    Runs that are not matched, and scores that are not fit for a comparison, give no spread: it would not be that of
    chance.
    """
    from tools.scores.summary_matrix import SummaryMatrix
    from tools.statistics.spread.noise_study import noise_study

    plan = stored.plan
    if not rows:
        return SpreadStudy(faults=("no run has scores",))
    table, chosen = ScoreTable.from_rows(rows), SummaryMatrix.of(plan.analysis.summaries)
    faults = (*_mismatches(matching), *integrity.faults(table, None, chosen.benchmarks))
    if faults:
        return SpreadStudy(faults=faults if plan.kind == "noise" else (_HIDDEN,))
    noise = None
    if plan.kind == "noise":
        pairs = table.paired(plan.treatments[0].id, plan.control.id, chosen.benchmarks)
        label = f"{plan.control.id} against itself"
        matched = not plan.treatments[0].seed_offset
        noise = noise_study({label: pairs}, chosen, plan.analysis.confidence, matched=matched)
    try:
        prior = _prior(stored, table)
    except InputError as error:
        return SpreadStudy(noise=noise, faults=(str(error),))
    pilot = pilot_study(table, chosen.benchmarks, prior) if plan.kind == "pilot" else None
    return SpreadStudy(
        noise=noise,
        pilot=pilot,
        prior=prior,
        ahead=_ahead(stored, prior, pilot.seeds if pilot else noise.df + 1 if noise else 0),
        notes=_notes(plan, table) if plan.kind == "noise" else (),
    )


_HIDDEN = (
    "the runs are not matched, or their scores not fit for a comparison; what differs would tell arms apart and stays "
    "hidden, so look at the run folders"
)


def _mismatches(matching: Matching) -> Iterator[str]:
    for one in matching.differences:
        yield f"seed {one.seed}: {one.key} is {one.treatment_value!r}, in the other run {one.control_value!r}"


def _prior(stored: Stored, table: ScoreTable) -> Prior:
    from tools.statistics.power.estimate_prior import estimate_prior

    plan = stored.plan
    missing = [arm.id for arm in plan.arms if arm.id not in table.arms]
    if missing:
        raise InputError(f"{len(missing)} of {len(plan.arms)} arms have no scored run: no spread can be estimated")
    source = f"sqrt(2*MSE) of arm + seed in {len(table.arms)} arms of the {plan.kind} study {stored.id}"
    return estimate_prior(table, plan.analysis.summaries, (stored.id,), source)


def _notes(plan: StudyPlan, table: ScoreTable) -> tuple[str, ...]:
    from tools.scores.summary_matrix import SummaryMatrix

    return integrity.notes(table, None, SummaryMatrix.of(plan.analysis.summaries).benchmarks)


def _ahead(stored: Stored, prior: Prior, pairs: int) -> PowerStatement:
    from tools.statistics.power.statement import power_statement
    from tools.statistics.random_streams import rng_for

    return power_statement(pairs, stored.plan.analysis, prior, rng_for(stored.plan_hash, "power"))
