"""A plan after a pilot: the pilot's spread, its recipe where none is named, and none of its seeds."""

from collections.abc import Iterator
from typing import NamedTuple

from policies.errors import InputError, RefusedError
from tools.study.intent import StudyIntent
from tools.study.pilot_source import PilotSource
from tools.study.plan import StudyPlan
from training.recipe import Recipe, recipe_names

_SAME = ("model", "data", "suite")
"""What a recipe must share with the pilot's for its spread to say anything."""


class Pilot(NamedTuple):
    """A finished study that was run for its spread."""

    source: PilotSource
    plan: StudyPlan
    notes: tuple[str, ...]


def find_pilot(reference: str) -> Pilot:
    """A study by its id or folder. Raises InputError where it gives no spread, RefusedError where it is not done."""
    from tools.pilot_spread import pilot_spread
    from tools.study.delivered import delivery_so_far
    from tools.study.stored import Stored
    from tools.study.study import find_study

    study = find_study(reference)
    stored = Stored.read(study)
    found = pilot_spread(str(study.folder))
    planned = {stored.plan.run_of(arm, seed).seed for arm in stored.plan.arms for seed in stored.plan.seeds}
    source = PilotSource(
        study=stored.id,
        plan_hash=stored.plan_hash,
        seeds=tuple(sorted(planned | {run.seed for run in stored.runs})),
        prior=found.prior.model_copy(update={"benchmark_covariance": None}),
    )
    notes = (f"spread: of {stored.id} ({stored.plan.kind}), not of the prior table", *found.notes)
    if stored.plan.kind == "pilot":
        idle = [one.arm for one in delivery_so_far(study, stored, hidden=False) if one.status == "not_delivered"]
        notes += tuple(f"{arm} did not act in the pilot, so its spread may be too small" for arm in idle)
    if stored.unblindings:
        notes += (f"scores by arm of {stored.id} were seen: {stored.unblindings[0].reason}",)
    return Pilot(source, stored.plan, notes)


def with_recipe_of(intent: StudyIntent, pilot: Pilot) -> StudyIntent:
    """The intent with the pilot's recipe, steps and model where it names none of them."""
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
    """Raises InputError where the pilot's spread says nothing of this recipe."""
    apart = [name for name in _SAME if getattr(recipe, name) != getattr(pilot.plan.recipe, name)]
    if apart:
        ours, theirs = (getattr(one, apart[0]) for one in (recipe, pilot.plan.recipe))
        raise InputError(
            f"the pilot {pilot.source.study} ran with {apart[0]} {theirs}, this plan with {ours}: its spread says "
            "nothing here; plan a pilot with this recipe"
        )


def differences(recipe: Recipe, policies: tuple[str, ...], pilot: Pilot) -> Iterator[str]:
    """What else differs from the pilot, one note each."""
    ours, theirs = recipe.held_fixed(), pilot.plan.recipe.held_fixed()
    apart = [name for name in ours if ours[name] != theirs.get(name)]
    if apart:
        told = ", ".join(f"{name} {theirs.get(name)} there, {ours[name]} here" for name in apart)
        yield f"the pilot differs in its recipe, so its spread may not hold: {told}"
    new = [name for name in policies if name not in {arm.policy.name for arm in pilot.plan.arms}]
    if new and pilot.plan.kind != "noise":
        yield f"the pilot did not run {', '.join(new)}, whose differences may vary otherwise"


def demand_fresh(seeds: tuple[int, ...], pilot: PilotSource | None) -> None:
    """Raises RefusedError for a seed that the pilot has run."""
    used = [seed for seed in seeds if pilot is not None and seed in pilot.seeds]
    if used and pilot is not None:
        raise RefusedError(
            f"seed {used[0]} is one of the pilot {pilot.study}, and pilot seeds never enter the comparison; name "
            "others, or only how many"
        )
