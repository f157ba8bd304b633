"""StudyIntent -> StudyPlan: fills in defaults with a note for each, checks everything, reports all faults at once."""

from collections.abc import Callable
from functools import partial

from pydantic import Field

from policies.errors import InputError, RefusedError
from policies.model import StrictModel
from tools.design.arms import arms_of, choose_policies
from tools.design.faults import Faults
from tools.design.pilot import Pilot, demand_fitting, differences, with_recipe_of
from tools.design.recipe_choice import choose_recipe, gpu_count
from tools.design.seeds import check_seeds, choose_seeds, seeds_after, sequential_design
from tools.plan.analysis import Analysis, range_faults
from tools.plan.intent import StudyIntent
from tools.plan.run_identity import InstalledIdentity, RunIdentity
from tools.plan.study_plan import Arm, PlannedBenchmark, StudyKind, StudyPlan
from tools.text.numbers import points
from training.recipe import Recipe
from training.trainable import demand_trainable


class DesignDefaults(StrictModel):
    """The values that a plan takes if the intent does not specify them."""

    seeds: int = Field(default=3, ge=1)
    spread_seeds: int = Field(default=5, ge=2)
    """Pairs of a study that only estimates the spread."""
    most_seeds: int = Field(default=12, ge=4)
    """Maximum number of seeds of a sequential study."""
    confidence: float = 0.95
    sesoi: float = 1.0
    primary: str = "domain_balanced_12"


def design(
    intent: StudyIntent,
    *,
    find_pilot: Callable[[str], Pilot],
    defaults: DesignDefaults | None = None,
    identity: RunIdentity | None = None,
    gpus: int | None = None,
) -> StudyPlan:
    """Returns the complete plan of a study; each default that was filled in is a note of the plan.

    find_pilot: returns the finished study that an intent names as its pilot. gpus: number of GPUs (default: detected);
    the CPU recipe is chosen automatically only if there is none.

    Raises InputError with all faults in one line; BudgetError, naming what fits, if the limits on hours or runs are too
    low; RefusedError for a question that a study must not answer; AdvisorError if training packages are not installed.
    """
    defaults = defaults or DesignDefaults()
    _demand_study(intent)
    faults = Faults()
    pilot = _pilot(intent, find_pilot, faults)
    if pilot is not None:
        intent = with_recipe_of(intent, pilot)
    notes = [*intent.notes, *(pilot.notes if pilot else ())]
    chosen = choose_policies(intent, faults, notes)
    recipe = choose_recipe(intent, gpu_count() if gpus is None else gpus, faults, notes)
    if chosen is not None and recipe is not None:
        for policy in (chosen.control, *(one.policy for one in chosen.treatments)):
            faults.tried(partial(demand_trainable, policy, recipe.data))
    if pilot is not None and recipe is not None:
        faults.tried(lambda: demand_fitting(recipe, pilot))
    family = len(chosen.treatments) if chosen else 1
    check_seeds(intent, 1 + family, faults)
    _check_limits(intent, faults)
    _check_kind(intent, faults)
    analysis = planned_analysis(intent, defaults, recipe, family, faults, notes)
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
        kind=_kind(intent), question=intent.question, title=_title(intent, arms), notes=tuple(dict.fromkeys(notes)),
        arms=arms, seeds=seeds, recipe=recipe, benchmarks=planned_benchmarks(recipe), analysis=analysis,
        design=sequential, pilot=source, artifacts=identity.artifacts(recipe), versions=identity.versions(),
        budget_device_hours=intent.budget_gpu_hours,
    )  # fmt: skip


def _title(intent: StudyIntent, arms: tuple[Arm, ...]) -> str:
    if intent.kind == "noise":
        return f"{arms[0].id} against itself"
    versus = f"{', '.join(arm.id for arm in arms[1:])} against {arms[0].id}"
    return f"pilot for {versus}" if intent.kind == "pilot" else versus


def _kind(intent: StudyIntent) -> StudyKind:
    if intent.kind in ("noise", "pilot"):
        return intent.kind
    return "dose" if intent.doses else "compare"


def _pilot(intent: StudyIntent, find_pilot: Callable[[str], Pilot], faults: Faults) -> Pilot | None:
    reference = intent.after_pilot
    return None if reference is None else faults.tried(lambda: find_pilot(reference))


def _demand_study(intent: StudyIntent) -> None:
    if intent.kind == "refuse":
        raise RefusedError(intent.message or "a study must not answer that; ask whether a policy beats a control")
    if intent.kind == "clarify" and not intent.unknown:
        raise InputError(intent.message or "compare which policy with which? For example: does tscl beat static?")
    if intent.kind == "power":
        raise InputError(f"a question of kind {intent.kind!r} needs no study; ask whether a policy beats a control")


def _check_limits(intent: StudyIntent, faults: Faults) -> None:
    if intent.budget_gpu_hours is not None and intent.budget_gpu_hours <= 0:
        faults.add(f"a budget of {intent.budget_gpu_hours:g} GPU-hours pays for no run; give a number above 0")
    if intent.max_runs is not None and intent.max_runs < 1:
        faults.add(f"a limit of {intent.max_runs} runs is too low for a study; allow at least 2")


def _check_kind(intent: StudyIntent, faults: Faults) -> None:
    if intent.doses and intent.kind == "noise":
        faults.add("a noise study has one policy at one strength; name one value, or ask for a dose study")
    if intent.unmatched and intent.kind != "noise":
        faults.add("--unmatched applies to a noise study only (one policy against itself); a comparison matches seeds")
    if intent.kind not in ("noise", "pilot"):
        return
    what = "noise study" if intent.kind == "noise" else "pilot"
    if intent.sequential:
        faults.add(f"a {what} gives no verdict, so it has no looks; omit --sequential")
    if intent.after_pilot is not None:
        faults.add(f"a {what} estimates a spread and takes none from {intent.after_pilot!r}; omit --after-pilot")


def planned_analysis(
    intent: StudyIntent, defaults: DesignDefaults, recipe: Recipe | None, family: int, faults: Faults, notes: list[str]
) -> Analysis | None:
    """How the intent asks to be judged; None where something of it is at fault."""
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
    domains = {row.id: row.domain for row in planned_benchmarks(recipe)}
    return Analysis(
        confidence=confidence, family_size=family, primary=primary, summaries=verdict_set(domains), sesoi=sesoi
    )


def planned_benchmarks(recipe: Recipe) -> tuple[PlannedBenchmark, ...]:
    """The benchmarks of the recipe's suite as a plan holds them."""
    from training.benchmarks.catalog import suite
    from training.data.tiny_benchmarks import benchmark_sha256

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
