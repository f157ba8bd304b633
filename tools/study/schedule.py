"""Which arms run at which seeds: all of them in a fixed plan, otherwise until the looks stop them."""

from collections.abc import Sequence

from tools.plan.study_plan import Arm, StudyPlan
from tools.study.rows import LookRow


def stopped_after(plan: StudyPlan, looks: Sequence[LookRow]) -> dict[str, int]:
    """Returns treatment -> seed blocks after which its looks stopped it; treatments that continue are left out."""
    if plan.design is None:
        return {}
    stops: dict[str, int] = {}
    for row in looks:
        if row.stops:
            stops.setdefault(row.treatment, row.blocks)
    return stops


def arms_at(plan: StudyPlan, looks: Sequence[LookRow], block: int) -> tuple[Arm, ...]:
    """Returns the arms that run at the block-th seed (from 1) in plan order; none once every treatment has stopped.

    A stopped treatment runs no further; the control continues as long as any treatment does.
    """
    stops = stopped_after(plan, looks)
    going = [arm for arm in plan.treatments if stops.get(arm.id, block) >= block]
    return tuple(arm for arm in plan.arms if arm in going or (arm.role == "control" and going))


def scheduled_seeds(plan: StudyPlan, looks: Sequence[LookRow]) -> dict[str, tuple[int, ...]]:
    """Returns arm -> the seeds that it has to run by the looks so far, in plan order."""
    seeds: dict[str, list[int]] = {arm.id: [] for arm in plan.arms}
    for block, seed in enumerate(plan.seeds, start=1):
        for arm in arms_at(plan, looks, block):
            seeds[arm.id].append(seed)
    return {arm: tuple(found) for arm, found in seeds.items()}
