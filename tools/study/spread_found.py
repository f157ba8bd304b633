"""From stored scores to the spread that a noise study or a pilot was made for."""

from collections.abc import Iterator, Sequence

from policies.errors import InputError
from tools.report.material import Matching
from tools.scores import integrity
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.power_model import PowerStatement
from tools.statistics.priors import Prior
from tools.statistics.spread_study import SpreadStudy, pilot_study
from tools.study.plan import StudyPlan
from tools.study.stored import Stored


def spread_found(stored: Stored, rows: Sequence[ScoreRow], matching: Matching) -> SpreadStudy:
    """Nothing in it tells one arm of a pilot from another.

    Runs that are not matched, and scores that are not fit for a comparison, give no spread: it would not be that of
    chance.
    """
    from tools.statistics.noise_study import noise_study
    from tools.statistics.summary_matrix import SummaryMatrix

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
    from tools.statistics.estimate_prior import estimate_prior

    plan = stored.plan
    missing = [arm.id for arm in plan.arms if arm.id not in table.arms]
    if missing:
        raise InputError(f"{len(missing)} of {len(plan.arms)} arms have no scored run: no spread can be estimated")
    source = f"sqrt(2*MSE) of arm + seed in {len(table.arms)} arms of the {plan.kind} study {stored.id}"
    return estimate_prior(table, plan.analysis.summaries, (stored.id,), source)


def _notes(plan: StudyPlan, table: ScoreTable) -> tuple[str, ...]:
    from tools.statistics.summary_matrix import SummaryMatrix

    return integrity.notes(table, None, SummaryMatrix.of(plan.analysis.summaries).benchmarks)


def _ahead(stored: Stored, prior: Prior, pairs: int) -> PowerStatement:
    from tools.statistics.plan_power import power_statement
    from tools.statistics.streams import rng_for

    return power_statement(pairs, stored.plan.analysis, prior, rng_for(stored.plan_hash, "power"))
