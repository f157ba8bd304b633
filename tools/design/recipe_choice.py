"""The choice of a recipe by this machine's GPUs, which are counted without loading torch."""

from pathlib import Path

from tools.design.faults import Faults
from tools.plan.intent import StudyIntent
from training.recipe import Recipe, load_recipe, recipe_names


def gpu_count(root: Path = Path("/")) -> int:
    """Returns the number of NVIDIA GPUs that the driver lists, 0 without a driver."""
    listed = root / "proc" / "driver" / "nvidia" / "gpus"
    if listed.is_dir():
        return sum(1 for _ in listed.iterdir())
    return sum(1 for device in (root / "dev").glob("nvidia*") if device.name.removeprefix("nvidia").isdigit())


CPU_RECIPE = "tiny-cpu"


def choose_recipe(intent: StudyIntent, gpus: int, faults: Faults, notes: list[str]) -> Recipe | None:
    """Returns the recipe that the intent names, otherwise this machine's default; None if a fault was added."""
    name = intent.recipe or _default_recipe(gpus, notes)
    recipe = faults.tried(lambda: load_recipe(name, steps=intent.steps))
    if recipe is None:
        return None
    if recipe.device == "cuda" and gpus < recipe.devices:
        notes.append(f"recipe {recipe.name} needs {recipe.devices} GPUs, but this machine has {gpus}")
    if intent.model is None or intent.model == recipe.model:
        return recipe
    if recipe.model.startswith("builtin:"):
        choices = [other for other in recipe_names() if not load_recipe(other).model.startswith("builtin:")]
        way = f"name one of: {', '.join(choices)}" if choices else "no recipe for other models is installed"
        faults.add(f"model {intent.model!r} cannot be used: recipe {recipe.name} has a built-in model; {way}")
    return faults.tried(lambda: load_recipe(name, steps=intent.steps, model=intent.model))


def _default_recipe(gpus: int, notes: list[str]) -> str:
    if gpus:
        for name in recipe_names():
            if load_recipe(name).device == "cuda":
                notes.append(f"recipe: {name}, chosen because this machine has {gpus} GPUs")
                return name
        notes.append(f"recipe: {CPU_RECIPE}, because no recipe for GPUs is installed")
    else:
        notes.append(f"recipe: {CPU_RECIPE}, because no GPU was found and no recipe was named")
    return CPU_RECIPE
