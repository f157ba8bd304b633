"""Tool: from an intent to a plan with its price and its power. Starts nothing, writes nothing."""

from policies.model import StrictModel
from tools.design.design_study import design
from tools.design.forecast import ExpectedEnds, expected_ends, planned_power
from tools.evaluation.pilots import find_pilot
from tools.plan.cost import StudyCost, seed_price, study_cost
from tools.plan.intent import StudyIntent
from tools.plan.plan_hash import plan_hash
from tools.plan.run_identity import RunIdentity
from tools.plan.study_plan import StudyPlan
from tools.report.claims.plan_warnings import plan_warnings
from tools.statistics.power.model import PowerStatement
from tools.study.folder import Study


class PlannedStudy(StrictModel):
    """What a person is asked to approve."""

    schema_version: int = 1
    plan: StudyPlan
    plan_hash: str
    cost: StudyCost
    power: PowerStatement | None
    """Of all its seeds; None: no spread is known for this recipe and model, a pilot would tell."""
    expected: ExpectedEnds | None = None
    """Of a sequential plan."""
    warnings: tuple[str, ...]


def plan_study(intent: StudyIntent, *, identity: RunIdentity | None = None) -> PlannedStudy:
    """Designs a study and prices it; raises what `tools.design.design_study.design` raises."""
    plan = design(intent, find_pilot=find_pilot, identity=identity)
    return price(plan, planned_power(plan))


def stored_proposal(study: Study) -> PlannedStudy:
    """What was, or is to be, approved: the plan and its power as the ledger holds them."""
    with study.ledger(read_only=True) as ledger:
        return price(ledger.plan(), ledger.power())


def price(plan: StudyPlan, power: PowerStatement | None) -> PlannedStudy:
    """Adds hash, cost and warnings to a plan; the same plan gives the same numbers."""
    return PlannedStudy(
        plan=plan,
        plan_hash=plan_hash(plan),
        cost=study_cost(plan),
        power=power,
        expected=expected_ends(plan),
        warnings=plan_warnings(plan, power, seed_price(plan.recipe, len(plan.arms))),
    )
