"""What a sequential study is expected to take: seeds and device-hours without an effect, and at the planned one."""

from functools import lru_cache

import numpy as np

from policies.model import StrictModel
from tools.statistics.sequential.characteristics import Characteristics, characteristics
from tools.study.canonical import plan_hash
from tools.study.cost import run_device_hours
from tools.study.plan import StudyPlan

STUDIES = 4000
"""Simulated; the expected number of seeds is right to about a tenth."""
LONGER = (1.4, 1.8)
"""Times the pairs of a fixed plan: the most that a sequential one may have for the same power, as it was measured
(`tools/statistics/sequential/README.md`)."""


class ExpectedEnd(StrictModel):
    """Of a sequential plan under one truth, the same for every treatment."""

    effect: float
    """Score points under the primary summary; 0 or the smallest effect of interest under every summary."""
    seeds: float
    """That a treatment runs on average."""
    control_seeds: float
    """That the control runs; it goes on while any treatment does."""
    device_hours: float
    supported: float
    """Probability that a treatment ends with an effect under every summary."""
    futile: float
    """Probability that it ends for futility or as equivalent."""


class ExpectedEnds(StrictModel):
    """By simulation from the spread that the prior knows."""

    studies: int
    at_zero: ExpectedEnd
    at_sesoi: ExpectedEnd


def expected_ends(plan: StudyPlan) -> ExpectedEnds | None:
    """None for a fixed plan, and where nothing is known of how the summaries vary together."""
    from tools.study.spread_assumed import assumed_spread

    prior = assumed_spread(plan)
    if plan.design is None or prior is None or prior.spread(plan.analysis.summaries).covariance is None:
        return None
    return _simulated(plan.model_dump_json(), prior.model_dump_json())


@lru_cache(maxsize=64)
def _simulated(plan_document: str, prior_document: str) -> ExpectedEnds:
    """A second or two, of which one `ask` needs the result several times."""
    from tools.statistics.priors import Prior
    from tools.statistics.streams import rng_for

    plan = StudyPlan.model_validate_json(plan_document)
    covariance = Prior.model_validate_json(prior_document).spread(plan.analysis.summaries).covariance
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
