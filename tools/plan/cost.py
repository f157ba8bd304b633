"""The expected cost of a study by its recipe's cost model; runs are executed one at a time."""

from typing import NamedTuple

from policies.model import StrictModel
from tools.plan.study_plan import StudyPlan
from training.recipe import Recipe


class StudyCost(StrictModel):
    """The expected cost of a study; estimates, to be reported with their source."""

    runs: int
    device_hours: float
    """Runs and scoring: GPU-hours on GPUs; on CPU one run-hour counts as one device-hour."""
    device_hours_per_run: float
    """Training and scoring of one run."""
    wall_hours: float
    """Runs one after the other."""
    disk_mb: float
    unit: str
    """`GPU-hours` or `device-hours (one CPU run-hour each)`."""
    source: str


class SeedPrice(NamedTuple):
    """The cost of one more seed, which is one run of each arm."""

    arms: int
    device_hours_per_run: float
    """Start-up, training and scoring."""
    unit: str


def hours_unit(recipe: Recipe) -> str:
    """Returns the name of this recipe's device-hours: `GPU-hours` or `device-hours`."""
    return "GPU-hours" if recipe.device == "cuda" else "device-hours"


def unit(recipe: Recipe) -> str:
    """Returns the name of this recipe's device-hours and, on a CPU, their definition."""
    return hours_unit(recipe) if recipe.device == "cuda" else f"{hours_unit(recipe)} (one CPU run-hour each)"


def hours(value: float, unit: str) -> str:
    """Formats hours with their unit: `1,472 GPU-hours`, `0.14 device-hours`."""
    if 0 < value < 0.0005:
        return f"under 0.001 {unit}"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3
    return f"{value:,.{decimals}f} {unit}"


def run_seconds(recipe: Recipe) -> float:
    """Returns the expected wall seconds of one run's training."""
    return recipe.cost.startup_s + recipe.steps * recipe.cost.step_s


def run_device_hours(recipe: Recipe) -> float:
    """Returns the expected device-hours of one run and its scoring: the devices are held during both."""
    return recipe.devices * (run_seconds(recipe) + recipe.cost.scoring_s) / 3600


def seed_price(recipe: Recipe, arms: int) -> SeedPrice:
    """Returns the cost of one more seed by the recipe's estimate."""
    return SeedPrice(arms, run_device_hours(recipe), hours_unit(recipe))


def deadline_seconds(recipe: Recipe) -> float:
    """Returns the wall seconds after which a run terminates: three times the expectation, at least half an hour."""
    return max(1800.0, 3 * run_seconds(recipe))


def study_cost(plan: StudyPlan) -> StudyCost:
    """Returns the expected cost of all runs of a plan, as if none had been run yet."""
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
    """Returns the default ceiling of an approval, device-hours: the plan's budget if it has one; otherwise three times
    the expected cost, at least one hour above it."""
    if plan.budget_device_hours is not None:
        return plan.budget_device_hours
    expected = study_cost(plan).device_hours
    return max(3 * expected, expected + 1.0)
