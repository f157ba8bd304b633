"""What a plan costs, what it can see and what speaks against it: shown before approval."""

from functools import lru_cache

from policies.model import StrictModel
from tools.report.ways_out import plan_warnings
from tools.statistics.power_model import PowerStatement
from tools.study.canonical import plan_hash
from tools.study.cost import StudyCost, seed_price, study_cost
from tools.study.expected import ExpectedEnds, expected_ends
from tools.study.plan import StudyPlan


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


def price(plan: StudyPlan) -> PlannedStudy:
    """Hash, cost, power and warnings of a plan; the same plan gives the same numbers."""
    power = planned_power(plan)
    return PlannedStudy(
        plan=plan,
        plan_hash=plan_hash(plan),
        cost=study_cost(plan),
        power=power,
        expected=expected_ends(plan),
        warnings=plan_warnings(plan, power, seed_price(plan.recipe, len(plan.arms))),
    )


def planned_power(plan: StudyPlan) -> PowerStatement | None:
    """What the plan can detect if differences vary as is assumed; None where nothing is known, or for no verdict."""
    from tools.study.spread_assumed import assumed_spread

    prior = assumed_spread(plan)
    if prior is None:
        return None
    return _stated(plan.model_dump_json(), prior.model_dump_json())


@lru_cache(maxsize=64)
def _stated(plan_document: str, prior_document: str) -> PowerStatement:
    """A second of simulation, of which one `ask` needs the result three times."""
    from tools.statistics.plan_power import plan_power
    from tools.statistics.priors import Prior
    from tools.statistics.streams import rng_for

    plan = StudyPlan.model_validate_json(plan_document)
    return plan_power(plan, Prior.model_validate_json(prior_document), rng_for(plan_hash(plan), "power"))
