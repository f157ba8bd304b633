"""What a plan is expected to need and to detect: sequential seeds and device-hours by simulation, and power."""

from functools import lru_cache

import numpy as np

from policies.model import StrictModel
from tools.plan.cost import run_device_hours
from tools.plan.plan_hash import plan_hash
from tools.plan.prior import Prior
from tools.plan.study_plan import StudyPlan
from tools.statistics.power.model import PowerStatement
from tools.statistics.power.priors import find_prior, spread
from tools.statistics.sequential.characteristics import Characteristics, characteristics

STUDIES = 4000
"""Number of simulated studies; the expected number of seeds is accurate to about a tenth of a seed."""
LONGER = (1.4, 1.8)
"""Factors on the pairs of a fixed plan that give the maximum of a sequential plan of the same power, as measured
(`tools/statistics/sequential/README.md`)."""


class ExpectedEnd(StrictModel):
    """The expected end of a sequential plan under one true effect, the same for every treatment."""

    effect: float
    """Score points under the primary summary; 0 or the smallest effect of interest under every summary."""
    seeds: float
    """Mean number that a treatment runs."""
    control_seeds: float
    """Mean number that the control runs; it continues as long as any treatment does."""
    device_hours: float
    supported: float
    """Probability that a treatment ends with an effect under every summary."""
    futile: float
    """Probability that a treatment ends for futility or as equivalent."""


class ExpectedEnds(StrictModel):
    """The expected ends of a sequential plan, simulated with the spread of the prior."""

    studies: int
    at_zero: ExpectedEnd
    at_sesoi: ExpectedEnd


def expected_ends(plan: StudyPlan) -> ExpectedEnds | None:
    """Simulates the ends of a sequential plan; None for a fixed plan or if the summaries' covariance is unknown."""
    prior = assumed_spread(plan)
    if plan.design is None or prior is None or spread(prior, plan.analysis.summaries).covariance is None:
        return None
    return _simulated(plan.model_dump_json(), prior.model_dump_json())


@lru_cache(maxsize=64)
def _simulated(plan_document: str, prior_document: str) -> ExpectedEnds:
    """Takes a second or two, and one `ask` needs the result several times."""
    from tools.statistics.random_streams import rng_for

    plan = StudyPlan.model_validate_json(plan_document)
    covariance = spread(Prior.model_validate_json(prior_document), plan.analysis.summaries).covariance
    assert plan.design is not None
    assert covariance is not None
    analysis, found = plan.analysis, []
    sesois = np.asarray(analysis.sesois())
    for effects in (np.zeros(len(sesois)), sesois):
        ends = characteristics(
            plan.design,
            effects,
            covariance,
            (1.0 - analysis.confidence) / analysis.family_size,
            rng_for(plan_hash(plan), "expected"),
            sesoi=sesois,
            studies=STUDIES,
        )
        found.append(_end(plan, float(effects[list(analysis.summaries).index(analysis.primary)]), ends))
    return ExpectedEnds(studies=STUDIES, at_zero=found[0], at_sesoi=found[1])


def _end(plan: StudyPlan, effect: float, ends: Characteristics) -> ExpectedEnd:
    treatments = len(plan.treatments)
    going, control = 1.0, 0.0
    for n in range(max(ends.ended)):
        going -= ends.ended.get(n, 0.0)
        control += 1.0 - (1.0 - going) ** treatments  # as if treatments ended independently
    return ExpectedEnd(
        effect=effect,
        seeds=ends.mean_n,
        control_seeds=control,
        device_hours=(treatments * ends.mean_n + control) * run_device_hours(plan.recipe),
        supported=ends.better + ends.worse,
        futile=ends.shares["futility"] + ends.shares["equivalence"],
    )


def assumed_spread(plan: StudyPlan) -> Prior | None:
    """Returns the pilot's prior if the plan was made after a pilot, otherwise that of the prior table; None if unknown.

    None also for a study that gives no verdict: its purpose is to estimate the spread.
    """
    if not plan.gives_verdict:
        return None
    return plan.pilot.prior if plan.pilot else find_prior(plan.recipe.name, plan.recipe.model)


def planned_power(plan: StudyPlan) -> PowerStatement | None:
    """What the plan can detect if differences vary as is assumed; None where nothing is known, or for no verdict.

    A second of simulation: asked once, when a plan is made; the ledger keeps it.
    """
    from tools.statistics.power.statement import power_statement
    from tools.statistics.random_streams import rng_for

    prior = assumed_spread(plan)
    if prior is None:
        return None
    return power_statement(len(plan.seeds), plan.analysis, prior, rng_for(plan_hash(plan), "power"))
