"""From an intent to a plan that can be shown: what it can detect, what it costs, what speaks against it."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from policies.errors import InputError, RefusedError
from policies.model import StrictModel, describe_faults
from tools.statistics.power_model import PowerStatement
from tools.study.budget import seeds_that_fit
from tools.study.cost import SeedPrice, seed_price
from tools.study.design import DesignDefaults, design, planned_analysis
from tools.study.intent import StudyIntent
from tools.study.price import PlannedStudy, price
from tools.study.services import RunIdentity
from training.recipe import Recipe


def propose(
    intent: StudyIntent, overrides: Mapping[str, Any] | None = None, *, identity: RunIdentity | None = None
) -> PlannedStudy:
    """Designs the study and says what it can detect; raises as `tools.study.design.design` and `admit` do."""
    merged = with_flags(intent, overrides or {})
    admit(merged)
    return price(design(merged, identity=identity))


def with_flags(intent: StudyIntent, overrides: Mapping[str, Any]) -> StudyIntent:
    """The intent with a person's flags over it; naming treatments by flag answers what the question left open."""
    changes = dict(overrides)
    if changes.get("treatments") and intent.kind == "clarify":
        changes |= {"kind": "compare", "unknown": (), "message": None, "read_by": "flags"}
        changes.setdefault("control", intent.control)
    if "seeds" in changes:
        changes.setdefault("seed_list", None)
    if "seed_list" in changes and changes["seed_list"] is not None:
        changes["seeds"] = None
    try:
        return StudyIntent.model_validate(intent.model_dump() | changes)
    except ValidationError as error:
        raise InputError(f"cannot use these settings: {describe_faults(error)}") from error


def admit(intent: StudyIntent) -> None:
    """Raises for an intent that this version cannot turn into a run plan, saying what it can.

    RefusedError: refused by reason, a kind that is not built yet, a policy that is known but not available.
    InputError: one question is open, or a name is unknown.
    """
    from advisor.reading.vocabulary import BY_NAME, available_names

    if intent.kind == "refuse":
        raise RefusedError(f"refused ({intent.reason}): {intent.message}")
    if intent.kind == "clarify":
        raise InputError(intent.message or "name the policy to compare, for example: does tscl beat static?")
    if intent.kind == "noise":
        name = intent.treatments[0] if intent.treatments else "baseline"
        raise RefusedError(
            f"noise studies ({name} against itself) are not available yet; compare a policy with a control"
        )
    if intent.kind == "power":
        raise RefusedError("a power question needs no runs; ask it with: advisor plan QUESTION")
    available = available_names()
    named = dict.fromkeys((*intent.treatments, *((intent.control,) if intent.control else ())))
    missing = [name for name in named if name in BY_NAME and name not in available]
    if missing:
        raise RefusedError(
            f"{', '.join(missing)}: known, but not available in this version; it runs {', '.join(available)}"
        )


class PowerAnswer(StrictModel):
    """What n pairs can detect, asked without a study."""

    schema_version: int = 1
    power: PowerStatement
    setting: str
    """Recipe or model whose spread was used."""
    price: SeedPrice | None
    """None: a model of one's own has no known price."""
    notes: tuple[str, ...]


def answer_power(intent: StudyIntent, overrides: Mapping[str, Any] | None = None) -> PowerAnswer:
    """Answers a question about seeds and effects; no run, no approval.

    Raises InputError where no spread is known and for values out of range, BudgetError when the limits pay for no pair.
    """
    from tools.statistics.plan_power import power_statement
    from tools.statistics.priors import prior
    from tools.statistics.streams import rng_for
    from training.recipe import load_recipe

    intent = with_flags(intent, overrides or {})
    recipe = load_recipe(intent.recipe or "tiny-cpu", steps=intent.steps)
    analysis = planned_analysis(intent, recipe, len(intent.treatments))
    notes = list(intent.notes)
    seeds = intent.seeds if intent.seed_list is None else len(intent.seed_list)
    if seeds is None:
        seeds = _seeds_for(intent, recipe)
        notes.append(f"seeds: {seeds} (none were named)")
    if not 1 <= seeds <= 1_000_000:
        raise InputError(f"{seeds} seeds cannot be judged; ask for 1 to 1000000")
    spread = prior(intent.model) if intent.model else prior(recipe.name, recipe.model)
    statement = power_statement(seeds, analysis, spread, rng_for(intent.question, "power"))
    cost = None if intent.model else seed_price(recipe, max(1, len(intent.treatments)) + 1)
    return PowerAnswer(power=statement, setting=spread.names[0], price=cost, notes=tuple(notes))


def _seeds_for(intent: StudyIntent, recipe: Recipe) -> int:
    """What the limits pay for, else the default; a model of its own has no known price."""
    arms = max(1, len(intent.treatments)) + 1
    budget = None if intent.model else intent.budget_gpu_hours
    bought = seeds_that_fit(recipe, arms, budget, intent.max_runs)
    return DesignDefaults().seeds if bought is None else bought
