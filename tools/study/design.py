"""StudyIntent -> StudyPlan: fills in defaults and says so, checks everything, reports all faults at once."""

from collections.abc import Mapping
from functools import partial

from pydantic import Field, ValidationError

from policies.errors import InputError, RefusedError
from policies.model import StrictModel, describe_faults
from tools.report.numbers import points
from tools.statistics.ranges import range_faults
from tools.study.after_pilot import Pilot, demand_fitting, differences, find_pilot, with_recipe_of
from tools.study.arms import arms_of, choose_policies
from tools.study.faults import Faults
from tools.study.hardware import gpu_count
from tools.study.intent import StudyIntent
from tools.study.plan import Analysis, Arm, PlannedBenchmark, StudyKind, StudyPlan
from tools.study.seeds import check_seeds, choose_seeds, seeds_after
from tools.study.sequential_plan import sequential_design
from tools.study.services import InstalledIdentity, RunIdentity
from training.recipe import Recipe, load_recipe, recipe_names
from training.trainable import demand_trainable

CPU_RECIPE = "tiny-cpu"


class DesignDefaults(StrictModel):
    """What a plan gets where the intent says nothing."""

    seeds: int = Field(default=3, ge=1)
    spread_seeds: int = Field(default=5, ge=2)
    """Pairs of a study that is made for the spread alone."""
    most_seeds: int = Field(default=12, ge=4)
    """Of a sequential study."""
    confidence: float = 0.95
    sesoi: float = 1.0
    primary: str = "domain_balanced_12"


def design(
    intent: StudyIntent,
    overrides: Mapping[str, object] | None = None,
    *,
    defaults: DesignDefaults | None = None,
    identity: RunIdentity | None = None,
    gpus: int | None = None,
) -> StudyPlan:
    """The complete plan of a study.

    `overrides` replaces fields of the intent (a person's flags). `gpus`: how many there are (default: looked up); the
    recipe for CPUs is chosen by itself only where there is none. Each default that was filled in is a note of the plan.

    Raises InputError with all faults in one line; BudgetError when hours or runs do not pay for it, saying what would;
    RefusedError for a question that a study must not answer; AdvisorError when what training needs is not installed.
    """
    intent = _overridden(intent, overrides or {})
    defaults = defaults or DesignDefaults()
    _demand_study(intent)
    faults = Faults()
    pilot = _pilot(intent, faults)
    if pilot is not None:
        intent = with_recipe_of(intent, pilot)
    notes = [*intent.notes, *(pilot.notes if pilot else ())]
    chosen = choose_policies(intent, faults, notes)
    recipe = _recipe(intent, gpu_count() if gpus is None else gpus, faults, notes)
    if chosen is not None and recipe is not None:
        for policy in (chosen.control, *(one.policy for one in chosen.treatments)):
            faults.tried(partial(demand_trainable, policy, recipe.data))
    if pilot is not None and recipe is not None:
        faults.tried(lambda: demand_fitting(recipe, pilot))
    family = len(chosen.treatments) if chosen else 1
    check_seeds(intent, 1 + family, faults)
    _check_limits(intent, faults)
    _check_kind(intent, faults)
    analysis = _analysis(intent, defaults, recipe, family, faults, notes)
    faults.demand_none()
    assert chosen is not None
    assert recipe is not None
    assert analysis is not None
    source = pilot.source if pilot else None
    usual = partial(_default_seeds, intent, defaults, pilot, analysis, notes)
    seeds = choose_seeds(intent, usual, recipe, 1 + family, source, notes)
    if pilot is not None:
        notes += differences(recipe, tuple(dict.fromkeys(one.policy.name for one in chosen.treatments)), pilot)
    arms = arms_of(chosen, intent, seeds)
    sequential = sequential_design(intent, len(seeds), notes)
    identity = identity or InstalledIdentity()
    return StudyPlan(
        kind=_kind(intent),
        question=intent.question,
        title=_title(intent, arms),
        notes=tuple(dict.fromkeys(notes)),
        arms=arms,
        seeds=seeds,
        recipe=recipe,
        benchmarks=_benchmarks(recipe),
        analysis=analysis,
        design=sequential,
        pilot=source,
        artifacts=identity.artifacts(recipe),
        versions=identity.versions(),
        budget_device_hours=intent.budget_gpu_hours,
    )


def _overridden(intent: StudyIntent, overrides: Mapping[str, object]) -> StudyIntent:
    try:
        return StudyIntent.model_validate(intent.model_dump() | dict(overrides))
    except ValidationError as error:
        raise InputError(f"cannot use these settings: {describe_faults(error)}") from error


def _title(intent: StudyIntent, arms: tuple[Arm, ...]) -> str:
    if intent.kind == "noise":
        return f"{arms[0].id} against itself"
    versus = f"{', '.join(arm.id for arm in arms[1:])} against {arms[0].id}"
    return f"pilot for {versus}" if intent.kind == "pilot" else versus


def _kind(intent: StudyIntent) -> StudyKind:
    if intent.kind in ("noise", "pilot"):
        return intent.kind
    return "dose" if intent.doses else "compare"


def _pilot(intent: StudyIntent, faults: Faults) -> Pilot | None:
    reference = intent.after_pilot
    return None if reference is None else faults.tried(lambda: find_pilot(reference))


def _demand_study(intent: StudyIntent) -> None:
    if intent.kind == "refuse":
        raise RefusedError(intent.message or "a study must not answer that; ask whether a policy beats a control")
    if intent.kind == "clarify" and not intent.unknown:
        raise InputError(intent.message or "which policy against which? For example: does tscl beat static?")
    if intent.kind == "power":
        raise InputError(f"a question of kind {intent.kind!r} needs no run plan; ask whether a policy beats a control")


def _recipe(intent: StudyIntent, gpus: int, faults: Faults, notes: list[str]) -> Recipe | None:
    name = intent.recipe or _default_recipe(gpus, notes)
    recipe = faults.tried(lambda: load_recipe(name, steps=intent.steps))
    if recipe is None:
        return None
    if recipe.device == "cuda" and gpus < recipe.devices:
        notes.append(f"recipe {recipe.name} needs {recipe.devices} GPUs, this machine shows {gpus}")
    if intent.model is None or intent.model == recipe.model:
        return recipe
    if recipe.model.startswith("builtin:"):
        choices = [other for other in recipe_names() if not load_recipe(other).model.startswith("builtin:")]
        way = f"name one of: {', '.join(choices)}" if choices else "no recipe for other models is installed"
        faults.add(f"model {intent.model!r} cannot be used: recipe {recipe.name} has its own built-in model; {way}")
    return faults.tried(lambda: load_recipe(name, steps=intent.steps, model=intent.model))


def _default_recipe(gpus: int, notes: list[str]) -> str:
    if gpus:
        for name in recipe_names():
            if load_recipe(name).device == "cuda":
                notes.append(f"recipe: {name}, chosen because this machine has {gpus} GPUs")
                return name
        notes.append(f"recipe: {CPU_RECIPE}, because no recipe for GPUs is installed")
    else:
        notes.append(f"recipe: {CPU_RECIPE}, because no GPU was found and none was named")
    return CPU_RECIPE


def _check_limits(intent: StudyIntent, faults: Faults) -> None:
    if intent.budget_gpu_hours is not None and intent.budget_gpu_hours <= 0:
        faults.add(f"a budget of {intent.budget_gpu_hours:g} GPU-hours pays for nothing; give a number above 0")
    if intent.max_runs is not None and intent.max_runs < 1:
        faults.add(f"{intent.max_runs} runs make no study; allow at least 2")


def _check_kind(intent: StudyIntent, faults: Faults) -> None:
    if intent.doses and intent.kind == "noise":
        faults.add("a noise study is of one policy at one strength; name one value, or ask for a dose study")
    if intent.unmatched and intent.kind != "noise":
        faults.add("--unmatched belongs to a noise study (one policy against itself); a comparison pairs equal seeds")
    if intent.kind not in ("noise", "pilot"):
        return
    what = "noise study" if intent.kind == "noise" else "pilot"
    if intent.sequential:
        faults.add(f"a {what} gives no verdict that a look could reach; leave --sequential out")
    if intent.after_pilot is not None:
        faults.add(f"a {what} finds a spread and takes none from {intent.after_pilot!r}; leave --after-pilot out")


def _analysis(
    intent: StudyIntent, defaults: DesignDefaults, recipe: Recipe | None, family: int, faults: Faults, notes: list[str]
) -> Analysis | None:
    from tools.scores.summaries import VERDICT_SET, get, verdict_set

    confidence = defaults.confidence if intent.confidence is None else intent.confidence
    sesoi = defaults.sesoi if intent.sesoi is None else intent.sesoi
    primary = intent.primary_summary or defaults.primary
    for fault in range_faults(confidence, sesoi):
        faults.add(fault)
    if intent.sesoi is None:
        notes.append(f"smallest effect of interest: {points(sesoi)} (default)")
    if faults.tried(lambda: get(primary)) is not None and primary not in VERDICT_SET:
        faults.add(f"summary {primary!r} is not in the verdict set; choose the primary from: {', '.join(VERDICT_SET)}")
    if faults.found or recipe is None:
        return None
    domains = {row.id: row.domain for row in _benchmarks(recipe)}
    return Analysis(
        confidence=confidence,
        family_size=family,
        primary=primary,
        summaries=verdict_set(domains),
        sesoi=sesoi,
    )


def _benchmarks(recipe: Recipe) -> tuple[PlannedBenchmark, ...]:
    from training.benchmarks.catalog import suite
    from training.benchmarks.tiny import benchmark_sha256

    return tuple(
        PlannedBenchmark(
            id=row.id, domain=row.domain, questions=row.questions, sha256=benchmark_sha256(row.suite, row.id)
        )
        for row in suite(recipe.suite)
    )


def _default_seeds(
    intent: StudyIntent, defaults: DesignDefaults, pilot: Pilot | None, analysis: Analysis, notes: list[str]
) -> int:
    if intent.kind in ("noise", "pilot"):
        return defaults.spread_seeds
    if intent.sequential:
        return defaults.most_seeds
    return defaults.seeds if pilot is None else seeds_after(pilot.source, analysis, notes)
