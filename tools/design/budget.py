"""Budgets: how they are written, and how many seeds they pay for."""

import math
import re

from policies.errors import BudgetError, InputError
from tools.plan.cost import run_device_hours, unit
from tools.text.numbers import rounded_up
from training.recipe import Recipe

MOST_SEEDS = 12
"""The most seeds that are planned from a budget alone; more must be requested by number."""

MOST_HOURS = 1e9
_WRITTEN = re.compile(
    r"(\d+(?:\.\d*)?|\.\d+)\s*(?:(min|minutes?)|h|hours?|gpu-?\s?hours?|gpu-?h|device-?\s?hours?)?", re.IGNORECASE
)


def parse_budget(text: str) -> float:
    """Parses device-hours from `40`, `40h`, `1.5 hours`, `30min` or `40 GPU-hours`; InputError for all else and 0."""
    match = _WRITTEN.fullmatch(text.strip())
    hours = float(match.group(1)) / (60 if match.group(2) else 1) if match else 0.0
    if not 0 < hours <= MOST_HOURS:
        raise InputError(
            f"budget {text!r} is not a number of GPU-hours above 0 and at most {MOST_HOURS:.0f}; write 40, 40h or 30min"
        )
    return hours


def demand_paid(recipe: Recipe, arms: int, seeds: int, budget: float | None, max_runs: int | None) -> None:
    """Raises BudgetError, with the number of seeds that fit, if the limit on hours or runs is too low for `seeds`."""
    fitting = seeds_that_fit(recipe, arms, budget, max_runs)
    if fitting is None or seeds <= fitting:
        return
    block = arms * run_device_hours(recipe)
    if budget is not None and seeds * block > budget * (1 + 1e-9):
        raise BudgetError(
            f"{seeds} seeds of {arms} arms need about {rounded_up(seeds * block)} {unit(recipe)}, but the budget is "
            f"{budget:g}: {_offer(fitting)}, or raise the budget to {rounded_up(seeds * block)}"
        )
    raise BudgetError(
        f"{seeds} seeds of {arms} arms are {seeds * arms} runs, but at most {max_runs} are allowed: {_offer(fitting)}"
    )


def seeds_that_fit(recipe: Recipe, arms: int, budget: float | None, max_runs: int | None) -> int | None:
    """Returns how many seed blocks (one run of each arm) the limits pay for; None if there is no limit.

    Raises BudgetError, naming the cost of one block, if they do not pay for one.
    """
    if budget is None and max_runs is None:
        return None
    block = arms * run_device_hours(recipe)
    by_hours = math.inf if budget is None else math.floor(budget / block * (1 + 1e-9))
    by_runs = math.inf if max_runs is None else max_runs // arms
    what = "one pair of runs" if arms == 2 else f"one run of each of the {arms} arms"
    if by_hours < 1:
        raise BudgetError(
            f"a budget of {budget:g} does not pay for {what}, which needs about {rounded_up(block)} {unit(recipe)}: "
            f"give at least {rounded_up(block)}, or use fewer than {recipe.steps} steps"
        )
    if by_runs < 1:
        raise BudgetError(f"a limit of {max_runs} runs is too low for {what}: allow at least {arms}")
    return int(min(by_hours, by_runs))


def chosen_seeds(recipe: Recipe, arms: int, budget: float | None, max_runs: int | None) -> int | None:
    """Returns the number of seeds if none was requested: as many as fit, at most `MOST_SEEDS`; None without limits.

    Raises BudgetError if only one fits: one pair gives no interval, so it is run only if requested by number.
    """
    fitting = seeds_that_fit(recipe, arms, budget, max_runs)
    if fitting is None:
        return None
    if fitting < 2:
        two = 2 * arms * run_device_hours(recipe)
        raise BudgetError(
            f"this pays for one seed of {arms} arms, and one seed gives no interval: two seeds need {2 * arms} runs, "
            f"about {rounded_up(two)} {unit(recipe)}; give that, or ask for exactly 1 seed"
        )
    return min(fitting, MOST_SEEDS)


def _offer(fitting: int) -> str:
    return f"use {fitting} seed{'s' if fitting > 1 else ''}"
