"""A plan after a pilot: it uses the pilot's spread, its recipe if none is named, and none of its seeds."""

from collections.abc import Iterator
from typing import NamedTuple

from policies.errors import InputError, RefusedError
from tools.plan.intent import StudyIntent
from tools.plan.study_plan import PilotSource, StudyPlan
from training.recipe import Recipe, recipe_names

_SAME = ("model", "data", "suite")
"""Fields that a recipe must share with the pilot's recipe for the pilot's spread to apply."""


class Pilot(NamedTuple):
    """A finished study that supplies the spread for a plan."""

    source: PilotSource
    plan: StudyPlan
    notes: tuple[str, ...]


def with_recipe_of(intent: StudyIntent, pilot: Pilot) -> StudyIntent:
    """Returns the intent with the pilot's recipe, steps and model if it names none of them."""
    recipe = pilot.plan.recipe
    if intent.recipe is not None or intent.steps is not None or intent.model is not None:
        return intent
    if recipe.name not in recipe_names():
        return intent
    model = None if recipe.model.startswith("builtin:") else recipe.model
    note = f"recipe: {recipe.name} with {recipe.steps} steps, as in the pilot"
    changes = {"recipe": recipe.name, "steps": recipe.steps, "model": model, "notes": (*intent.notes, note)}
    return intent.model_copy(update=changes)


def demand_fitting(recipe: Recipe, pilot: Pilot) -> None:
    """Raises InputError if the pilot's spread does not apply to this recipe."""
    apart = [name for name in _SAME if getattr(recipe, name) != getattr(pilot.plan.recipe, name)]
    if apart:
        ours, theirs = (getattr(one, apart[0]) for one in (recipe, pilot.plan.recipe))
        raise InputError(
            f"the pilot {pilot.source.study} used {apart[0]} {theirs}, this plan uses {ours}: its spread does not "
            "apply here; plan a pilot with this recipe"
        )


def differences(recipe: Recipe, policies: tuple[str, ...], pilot: Pilot) -> Iterator[str]:
    """Yields one note for each further difference from the pilot."""
    ours, theirs = recipe.held_fixed(), pilot.plan.recipe.held_fixed()
    apart = [name for name in ours if ours[name] != theirs.get(name)]
    if apart:
        told = ", ".join(f"{name} {theirs.get(name)} in the pilot, {ours[name]} here" for name in apart)
        yield f"the pilot's recipe differs from this one, so its spread may not apply: {told}"
    new = [name for name in policies if name not in {arm.policy.name for arm in pilot.plan.arms}]
    if new and pilot.plan.kind != "noise":
        yield f"the pilot did not run {', '.join(new)}, whose differences may have another spread"


def demand_fresh(seeds: tuple[int, ...], pilot: PilotSource | None) -> None:
    """Raises RefusedError if the pilot has run one of the seeds."""
    used = [seed for seed in seeds if pilot is not None and seed in pilot.seeds]
    if used and pilot is not None:
        raise RefusedError(
            f"seed {used[0]} was used by the pilot {pilot.study}, and pilot seeds never enter the comparison; name "
            "other seeds, or only their number"
        )
