"""Which arm runs at which seed: all of them where the plan is fixed, else as far as the looks say."""

from collections.abc import Sequence

from tools.study.plan import Arm, StudyPlan
from tools.study.rows import LookRow


def stopped_after(plan: StudyPlan, looks: Sequence[LookRow]) -> dict[str, int]:
    """Treatment -> seed blocks after which its looks stopped it; those that go on are left out, as in a fixed plan."""
    if plan.design is None:
        return {}
    stops: dict[str, int] = {}
    for row in looks:
        if row.stops:
            stops.setdefault(row.treatment, row.blocks)
    return stops


def arms_at(plan: StudyPlan, looks: Sequence[LookRow], block: int) -> tuple[Arm, ...]:
    """The arms that run at the block-th seed (from 1), the control first; none once every treatment has stopped.

    A treatment that has stopped runs no further, the control runs on with the others.
    """
    stops = stopped_after(plan, looks)
    going = [arm for arm in plan.treatments if stops.get(arm.id, block) >= block]
    return tuple(arm for arm in plan.arms if arm in going or (arm.role == "control" and going))


def scheduled_seeds(plan: StudyPlan, looks: Sequence[LookRow]) -> dict[str, tuple[int, ...]]:
    """Arm -> the seeds that it has to run by all that is known now, in plan order."""
    seeds: dict[str, list[int]] = {arm.id: [] for arm in plan.arms}
    for block, seed in enumerate(plan.seeds, start=1):
        for arm in arms_at(plan, looks, block):
            seeds[arm.id].append(seed)
    return {arm: tuple(found) for arm, found in seeds.items()}
