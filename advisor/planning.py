"""From an intent to a plan that can be shown: what it can detect, what it costs, and its warnings."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from advisor.reading.study_kinds import AFTER_PILOT
from policies.errors import InputError, RefusedError
from policies.model import describe_faults
from tools import catalogue
from tools.design.budget import seeds_that_fit
from tools.design.recipe_choice import CPU_RECIPE
from tools.design_power import DesignPower, PowerQuestion
from tools.plan.intent import IntentKind, StudyIntent
from tools.plan.run_identity import RunIdentity
from tools.plan_study import PlannedStudy
from training.recipe import load_recipe


def propose(intent: StudyIntent, *, identity: RunIdentity | None = None) -> PlannedStudy:
    """Designs the study and says what it can detect; raises as `catalogue.plan_study` and `admit` do."""
    admit(intent)
    return catalogue.plan_study(intent, identity=identity)


def with_flags(intent: StudyIntent, overrides: Mapping[str, Any]) -> StudyIntent:
    """Returns the intent with a person's flags merged in; treatments named by flag answer an open question."""
    changes = dict(overrides)
    pilot = changes.pop("pilot", False)
    if changes.get("doses"):
        named = changes.get("treatments") or intent.treatments
        changes["treatments"] = tuple(dict.fromkeys([*named, *(dose["policy"] for dose in changes["doses"])]))
    if changes.get("treatments") and intent.kind == "clarify":
        changes |= {"kind": "compare", "unknown": (), "message": None, "read_by": "flags"}
        changes.setdefault("control", intent.control)
    if changes.get("treatments") and intent.kind == "noise":
        changes.setdefault("control", None)
    if changes.get("after_pilot"):  # no longer true that nobody named it
        changes.setdefault("notes", tuple(note for note in intent.notes if AFTER_PILOT not in note))
    if changes.get("doses") and changes.get("kind", intent.kind) == "compare":
        changes["kind"] = "dose"
    if "seeds" in changes:
        changes.setdefault("seed_list", None)
    if "seed_list" in changes and changes["seed_list"] is not None:
        changes["seeds"] = None
    if pilot:
        changes["kind"] = _as_pilot(changes.get("kind", intent.kind))
    try:
        return StudyIntent.model_validate(intent.model_dump() | changes)
    except ValidationError as error:
        raise InputError(f"cannot use these settings: {describe_faults(error)}") from error


def _as_pilot(kind: IntentKind) -> IntentKind:
    """What is compared may be piloted first; what is refused or open stays so."""
    if kind in ("noise", "power"):
        raise InputError(f"--pilot applies to comparisons, and this is a {kind} question; leave it out")
    return "pilot" if kind in ("compare", "dose") else kind


def admit(intent: StudyIntent) -> None:
    """Raises for an intent that cannot become a run plan, saying what can.

    RefusedError: refused by reason, or a question that needs no runs. InputError: one question is open, or a name is
    unknown.
    """
    if intent.kind == "refuse":
        raise RefusedError(f"refused ({intent.reason}): {intent.message}")
    if intent.kind == "clarify":
        raise InputError(intent.message or "name the policies to compare, for example: does tscl beat static?")
    if intent.kind == "power":
        raise RefusedError("a question about power needs no runs; ask it with: advisor plan QUESTION")


def answer_power(intent: StudyIntent) -> DesignPower:
    """Answers a question about seeds and effects; no run, no approval.

    Raises InputError where no spread is known and for values out of range, BudgetError when the limits pay for no pair.
    """
    arms = max(1, len(intent.treatments)) + 1
    seeds = intent.seeds if intent.seed_list is None else len(intent.seed_list)
    notes, budget = list(intent.notes), intent.budget_gpu_hours
    if intent.model is not None and budget is not None:
        notes.append(
            f"no price is known for {intent.model}, so the budget of {budget:g} cannot be converted to seeds; give a "
            "price with: advisor power --hours-per-run HOURS"
        )
        budget = None
    if intent.max_runs is not None and seeds is None:
        recipe = load_recipe(intent.recipe or CPU_RECIPE, steps=intent.steps)
        seeds = seeds_that_fit(recipe, arms, budget, intent.max_runs)
        notes.append(f"{seeds} seed pairs: the most that {intent.max_runs} runs allow")
    asked = {
        "recipe": intent.recipe, "model": intent.model, "steps": intent.steps, "treatments": arms - 1,
        "seeds": None if seeds is None else (seeds,), "budget": budget, "confidence": intent.confidence,
        "sesoi": intent.sesoi, "primary": intent.primary_summary, "pilot": intent.after_pilot,
    }  # fmt: skip
    try:
        question = PowerQuestion.model_validate({name: value for name, value in asked.items() if value is not None})
    except ValidationError as error:
        raise InputError(f"cannot use these settings: {describe_faults(error)}") from error
    answer = catalogue.design_power(question)
    return answer.model_copy(update={"notes": (*notes, *answer.notes)})
