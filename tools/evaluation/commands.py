"""The exact commands that repeat a study, its runs, and its report."""

import shlex

from policies.errors import InputError
from tools.plan.doses import dose_arms, dose_text
from tools.plan.study_plan import StudyPlan
from tools.study.folder import RECIPE_FILE
from tools.study.stored import Stored
from training.recipe import Recipe, load_recipe

_AGAIN = (
    'for run in runs/*/*/*/*; do mkdir -p "again/$run" && cp "$run/run.json" "again/$run/" && '
    'python -m training.run "again/$run"; done'
)


def _is_shipped(recipe: Recipe) -> bool:
    """Whether its name gives the same recipe again; else it came from somebody's file, or from another version."""
    try:
        model = None if recipe.model.startswith("builtin:") else recipe.model
        return load_recipe(recipe.name, steps=recipe.steps, model=model).held_fixed() == recipe.held_fixed()
    except InputError:
        return False


def commands(stored: Stored) -> tuple[str, ...]:
    """For a shell, with comments; parameters are read from the question again."""
    plan = stored.plan
    shipped = _is_shipped(plan.recipe)
    asked = shlex.join(["advisor", "ask", plan.question, *_flags(plan, plan.recipe.name if shipped else RECIPE_FILE)])
    return (
        f"# the same plan as a new study{'' if shipped else ', from the folder of this study, which holds its recipe'}",
        asked,
        "# every run again, from this study's folder",
        _AGAIN,
        "# this report, from what is stored",
        f"advisor report {stored.id}",
    )


def _flags(plan: StudyPlan, recipe: str) -> list[str]:
    flags = {
        "--treatment": ",".join(dict.fromkeys(arm.policy.name for arm in plan.treatments)),
        "--control": "" if plan.kind == "noise" else plan.control.policy.name,
        "--recipe": recipe,
        "--model": "" if plan.recipe.model.startswith("builtin:") else plan.recipe.model,
        "--steps": str(plan.recipe.steps),
        "--seed-list": ",".join(str(seed) for seed in plan.seeds),
        "--after-pilot": plan.pilot.study if plan.pilot else "",
        "--min-seeds": "" if plan.design is None else str(plan.design.n_min),
        "--confidence": f"{plan.analysis.confidence:g}",
        "--sesoi": f"{plan.analysis.primary_sesoi:g}",
        "--summary": plan.analysis.primary,
    }
    switches = {
        "--pilot": plan.kind == "pilot",
        "--sequential": plan.design is not None,
        "--unmatched": any(arm.seed_offset for arm in plan.arms),
    }
    words = [word for flag, value in flags.items() if value for word in (flag, value)]
    for dose in dose_arms(plan):
        values = ",".join(dose_text(value) for value, _ in dose.arms)
        words += ["--dose", f"{dose.policy}.{dose.parameter}={values}"]
    return [*words, *(switch for switch, on in switches.items() if on)]
