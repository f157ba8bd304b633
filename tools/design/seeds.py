"""The seeds of a study: those listed, the number requested, what the budget pays for, or what a pilot requires."""

from collections import Counter
from collections.abc import Callable, Collection
from itertools import count, islice

from policies.errors import InputError
from tools.design.budget import MOST_SEEDS, chosen_seeds, demand_paid
from tools.design.faults import Faults
from tools.design.pilot import demand_fresh
from tools.plan.analysis import Analysis
from tools.plan.intent import StudyIntent
from tools.plan.prior import Prior
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import PilotSource
from training.recipe import Recipe

MOST_RUNS = 1000
MOST_SEEDS_ASKED = 200


def check_seeds(intent: StudyIntent, arms: int, faults: Faults) -> None:
    """Adds a fault for each seed, and each number of seeds, that no study can have."""
    asked = intent.seeds if intent.seed_list is None else len(intent.seed_list)
    if intent.seed_list is not None:
        if intent.seeds is not None and intent.seeds != asked:
            faults.add(f"{intent.seeds} seeds were requested, but {asked} are listed; give only one of the two")
        times = Counter(intent.seed_list)
        bad = [seed for seed in times if not 0 <= seed < 2**31]
        if bad:
            faults.add(f"seed {bad[0]} is out of range; use whole numbers from 0 to {2**31 - 1}")
        twice = sorted(seed for seed, often in times.items() if often > 1)
        if twice:
            faults.add(f"seed {twice[0]} is listed twice; each seed is one matched pair")
    if asked is None:
        return
    if asked < 1:
        faults.add(f"{asked} seeds are too few for a study; ask for at least 1, preferably 3 or more")
    elif asked > MOST_SEEDS_ASKED:
        faults.add(f"{asked} seeds are more than the limit of {MOST_SEEDS_ASKED} for a study; ask for fewer")
    elif asked * arms > MOST_RUNS:
        faults.add(
            f"{asked * arms} runs are more than the limit of {MOST_RUNS} for a study; ask for fewer seeds or treatments"
        )


def choose_seeds(
    intent: StudyIntent,
    default: Callable[[], int],
    recipe: Recipe,
    arms: int,
    pilot: PilotSource | None,
    notes: list[str],
) -> tuple[int, ...]:
    """Returns the seeds of a plan, none of them the pilot's, and notes a number that was filled in.

    default: the number if neither the intent nor a limit gives one. Raises BudgetError if the limits do not pay for the
    seeds, RefusedError if the pilot has run one of them.
    """
    budget, max_runs = intent.budget_gpu_hours, intent.max_runs
    asked: int | None = len(intent.seed_list) if intent.seed_list is not None else intent.seeds
    if asked is not None:
        demand_paid(recipe, arms, asked, budget, max_runs)
        seeds = intent.seed_list or _fresh(asked, pilot)
        demand_fresh(seeds, pilot)
    else:
        bought = chosen_seeds(recipe, arms, budget, max_runs)
        number = default() if bought is None else bought
        seeds = _fresh(number, pilot)
        usual = "default" if pilot is None or intent.sequential else "from the pilot's spread"
        why = usual if bought is None else f"what the budget pays for, at most {MOST_SEEDS}"
        notes.append(f"seeds: {'at most ' if intent.sequential else ''}{number} ({why})")
    if len(seeds) == 1:
        gives_none = intent.kind in ("noise", "pilot")
        notes.append("one seed: no spread can be estimated" if gives_none else _NO_INTERVAL)
    return seeds


_NO_INTERVAL = "one seed: no interval can be computed, so there is no verdict"


def seeds_after(pilot: PilotSource, analysis: Analysis, notes: list[str]) -> int:
    """Returns the pairs for P(`supported`) = 0.80 at the upper limit of the pilot's SD, at most `MOST_SEEDS`.

    Notes the pairs at the SD and at its upper limit. Raises InputError if the pilot lacks a summary.
    """
    point, upper = (_needed(pilot.prior, analysis, pilot.plan_hash, at) for at in (0, 1))
    told = [f"over {MOST_SEEDS_ASKED}" if one is None or one > MOST_SEEDS_ASKED else str(one) for one in (point, upper)]
    notes.append(
        f"pairs needed by the pilot's spread: {told[0]} at its SD, {told[1]} at the upper 80 % limit of the SD; more "
        f"than {MOST_SEEDS} must be requested by number (--seeds)"
    )
    return max(2, min(MOST_SEEDS, MOST_SEEDS if upper is None else upper))


def _needed(prior: Prior, analysis: Analysis, key: str, at: int) -> int | None:
    from tools.statistics.power.setting import power_settings, seeds_for_supported
    from tools.statistics.random_streams import rng_for

    return seeds_for_supported(power_settings(analysis, prior, rng_for(key, "after pilot"))[at])


def _fresh(number: int, pilot: PilotSource | None) -> tuple[int, ...]:
    """The first seeds from 1 upwards that the pilot has not run."""
    taken: Collection[int] = () if pilot is None else pilot.seeds
    return tuple(islice((seed for seed in count(1) if seed not in taken), number))


FIRST_LOOK = 5
"""Default number of seeds before the first look."""
LEAST_LOOKED_AT = 3


def sequential_design(intent: StudyIntent, most: int, notes: list[str]) -> SequentialDesign | None:
    """Returns the design of a plan with at most `most` seeds, None if it is fixed; notes a default first look.

    Raises InputError if the first look is too early, is not before the last seed, or is given for a fixed plan.
    """
    if not intent.sequential:
        if intent.min_seeds is not None:
            raise InputError(
                f"{intent.min_seeds} seeds before the first look apply to a sequential study only; add --sequential, "
                "or omit --min-seeds"
            )
        return None
    first = FIRST_LOOK if intent.min_seeds is None else intent.min_seeds
    if first < LEAST_LOOKED_AT:
        raise InputError(f"a first look at {first} seeds is too early; look at {LEAST_LOOKED_AT} or more")
    if first >= most:
        raise InputError(
            f"a sequential study with its first look at {first} seeds needs more than {most} seeds: give more, look "
            "earlier (--min-seeds), or omit --sequential"
        )
    if intent.min_seeds is None:
        notes.append(f"first look: after {first} seeds (default)")
    return SequentialDesign(n_min=first, n_max=most)
