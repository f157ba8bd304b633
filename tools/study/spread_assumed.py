"""How much paired differences are assumed to vary when a plan is made."""

from tools.statistics.priors import Prior, find_prior
from tools.study.plan import StudyPlan


def assumed_spread(plan: StudyPlan) -> Prior | None:
    """The pilot's where the plan was made after one, else that of the prior table; None where neither knows.

    None also for a study that gives no verdict: it is made to find the spread.
    """
    if not plan.gives_verdict:
        return None
    return plan.pilot.prior if plan.pilot else find_prior(plan.recipe.name, plan.recipe.model)
