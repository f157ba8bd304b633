"""Which seeds a study has: those named, as many as named, what the budget buys, or what a pilot asks for."""

from collections import Counter
from collections.abc import Callable, Collection
from itertools import count, islice

from tools.statistics.priors import Prior
from tools.study.after_pilot import demand_fresh
from tools.study.budget import MOST_SEEDS, chosen_seeds, demand_paid
from tools.study.faults import Faults
from tools.study.intent import StudyIntent
from tools.study.pilot_source import PilotSource
from tools.study.plan import Analysis
from training.recipe import Recipe

MOST_RUNS = 1000
MOST_SEEDS_ASKED = 200


def check_seeds(intent: StudyIntent, arms: int, faults: Faults) -> None:
    """Seeds and numbers of them that no study can have."""
    asked = intent.seeds if intent.seed_list is None else len(intent.seed_list)
    if intent.seed_list is not None:
        if intent.seeds is not None and intent.seeds != asked:
            faults.add(f"{intent.seeds} seeds were asked for, but {asked} are listed; say one of them")
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
        faults.add(f"{asked} seeds make no study; ask for at least 1, better 3 or more")
    elif asked > MOST_SEEDS_ASKED:
        faults.add(f"{asked} seeds are more than the {MOST_SEEDS_ASKED} that a study may have; ask for fewer")
    elif asked * arms > MOST_RUNS:
        faults.add(
            f"{asked * arms} runs are more than the {MOST_RUNS} that a study may have; ask for fewer seeds or "
            "treatments"
        )


def choose_seeds(
    intent: StudyIntent,
    default: Callable[[], int],
    recipe: Recipe,
    arms: int,
    pilot: PilotSource | None,
    notes: list[str],
) -> tuple[int, ...]:
    """The seeds of a plan, none of them the pilot's; what was filled in is noted. default: where nothing says how many.

    Raises BudgetError where the limits do not pay for them, RefusedError for a seed that the pilot has run.
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
        usual = "default" if pilot is None or intent.sequential else "what the pilot asks for"
        why = usual if bought is None else f"what the budget pays for, at most {MOST_SEEDS}"
        notes.append(f"seeds: {'at most ' if intent.sequential else ''}{number} ({why})")
    if len(seeds) == 1:
        gives_none = intent.kind in ("noise", "pilot")
        notes.append("one seed: no spread is possible" if gives_none else _NO_INTERVAL)
    return seeds


_NO_INTERVAL = "one seed: no interval is possible, so no verdict either"


def seeds_after(pilot: PilotSource, analysis: Analysis, notes: list[str]) -> int:
    """Pairs for P(`supported`) = 0.80 at the upper limit of the pilot's spread, at most `MOST_SEEDS`; both are noted.

    InputError where the pilot knows nothing of a summary.
    """
    point, upper = (_needed(pilot.prior, analysis, pilot.plan_hash, at) for at in (0, 1))
    told = [f"over {MOST_SEEDS_ASKED}" if one is None or one > MOST_SEEDS_ASKED else str(one) for one in (point, upper)]
    notes.append(
        f"pairs that the pilot asks for: {told[0]} at its SD, {told[1]} at its upper 80 % limit; more than "
        f"{MOST_SEEDS} are planned by number only (--seeds)"
    )
    return max(2, min(MOST_SEEDS, MOST_SEEDS if upper is None else upper))


def _needed(prior: Prior, analysis: Analysis, key: str, at: int) -> int | None:
    from tools.statistics.power_setting import power_settings, seeds_for_supported
    from tools.statistics.streams import rng_for

    return seeds_for_supported(power_settings(analysis, prior, rng_for(key, "after pilot"))[at])


def _fresh(number: int, pilot: PilotSource | None) -> tuple[int, ...]:
    """The first seeds from 1 on that no pilot has run."""
    taken: Collection[int] = () if pilot is None else pilot.seeds
    return tuple(islice((seed for seed in count(1) if seed not in taken), number))
