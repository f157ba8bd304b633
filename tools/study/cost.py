"""What a study is expected to cost, from its recipe's cost model; one run at a time."""

from typing import NamedTuple

from policies.model import StrictModel
from tools.study.plan import StudyPlan
from training.recipe import Recipe


class StudyCost(StrictModel):
    """Expected cost; estimates, to be shown with their source."""

    runs: int
    device_hours: float
    """GPU-hours on GPUs; on CPU one run-hour counts as one device-hour. Runs and scoring."""
    device_hours_per_run: float
    """Training and scoring of one run."""
    wall_hours: float
    """Runs one after the other."""
    disk_mb: float
    unit: str
    """`GPU-hours` or `device-hours (one CPU run-hour each)`."""
    source: str


class SeedPrice(NamedTuple):
    """What one more seed costs: a run of each arm."""

    arms: int
    device_hours_per_run: float
    """Start-up, training and scoring."""
    unit: str


def hours_unit(recipe: Recipe) -> str:
    """What a device-hour of this recipe is called."""
    return "GPU-hours" if recipe.device == "cuda" else "device-hours"


def unit(recipe: Recipe) -> str:
    """The same, with what a device-hour is on a CPU."""
    return hours_unit(recipe) if recipe.device == "cuda" else f"{hours_unit(recipe)} (one CPU run-hour each)"


def hours(value: float, unit: str) -> str:
    """`1,472 GPU-hours`, `0.14 device-hours`."""
    if 0 < value < 0.0005:
        return f"under 0.001 {unit}"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:,.{decimals}f} {unit}"


def run_seconds(recipe: Recipe) -> float:
    """Expected wall seconds of one run's training."""
    return recipe.cost.startup_s + recipe.steps * recipe.cost.step_s


def run_device_hours(recipe: Recipe) -> float:
    """Expected device-hours of one run, its scoring included: the devices are held during both."""
    return recipe.devices * (run_seconds(recipe) + recipe.cost.scoring_s) / 3600


def seed_price(recipe: Recipe, arms: int) -> SeedPrice:
    """By the recipe's estimate."""
    return SeedPrice(arms, run_device_hours(recipe), hours_unit(recipe))


def deadline_seconds(recipe: Recipe) -> float:
    """Wall seconds after which a run ends itself: three times the expectation, at least half an hour."""
    return max(1800.0, 3 * run_seconds(recipe))


def study_cost(plan: StudyPlan) -> StudyCost:
    """Expected cost of all runs of a plan, none of them done yet."""
    runs = len(plan.arms) * len(plan.seeds)
    each = run_device_hours(plan.recipe)
    return StudyCost(
        runs=runs,
        device_hours=runs * each,
        device_hours_per_run=each,
        wall_hours=runs * each / plan.recipe.devices,
        disk_mb=runs * plan.recipe.cost.disk_mb,
        unit=unit(plan.recipe),
        source=plan.recipe.cost.source,
    )


def default_ceiling(plan: StudyPlan) -> float:
    """An approval's ceiling where none is named: the plan's budget, else thrice the cost, at least an hour over it."""
    if plan.budget_device_hours is not None:
        return plan.budget_device_hours
    expected = study_cost(plan).device_hours
    return max(3 * expected, expected + 1.0)
