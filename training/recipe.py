"""A recipe: everything of a GRPO run that is held fixed while the policy varies."""

import difflib
from importlib import resources
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from policies.errors import InputError
from policies.model import StrictModel, describe_faults


class CostModel(StrictModel):
    """What a run is expected to cost on this recipe's hardware; an estimate, never part of a hash."""

    startup_s: float = Field(ge=0)
    step_s: float = Field(gt=0)
    scoring_s: float = Field(ge=0)
    disk_mb: float = Field(ge=0)
    source: str


class Recipe(StrictModel):
    """Model, data, optimiser, lengths and steps of one GRPO run."""

    schema_version: int = 1
    name: str
    title: str
    toy: bool
    """A toy recipe's results say nothing about real models; reports open with that."""
    device: Literal["cpu", "cuda"]
    devices: int = Field(ge=1)
    """Devices that one run holds; on CPU one run counts as one device."""
    model: str
    """`builtin:NAME` (shipped) or a Hugging Face id or folder."""
    data: str
    """`builtin:NAME` or a dataset id."""
    suite: str
    """The benchmark suite that scores it."""
    steps: int = Field(ge=1, le=100_000)
    prompts_per_step: int = Field(ge=1)
    rollouts_per_prompt: int = Field(ge=2)
    max_prompt_tokens: int = Field(ge=1)
    max_response_tokens: int = Field(ge=1)
    temperature: float = Field(gt=0)
    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(ge=0)
    clip_gradient_norm: float = Field(gt=0)
    kl_coefficient: float = Field(ge=0)
    checkpoint_every: int = Field(ge=1)
    cost: CostModel

    def held_fixed(self) -> dict[str, object]:
        """The content that identifies the recipe: all but the cost estimate, title and checkpoint interval."""
        return self.model_dump(mode="json", exclude={"cost", "title", "checkpoint_every"})


def recipe_names() -> tuple[str, ...]:
    """Names of the shipped recipes."""
    folder = resources.files("training.recipes")
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_recipe(name_or_path: str, *, steps: int | None = None) -> Recipe:
    """Loads a shipped recipe by name, or a YAML file by path (anything ending in `.yaml`/`.yml`).

    `steps` replaces the recipe's number of GRPO steps. Raises `InputError` for an unknown name (nearest names offered)
    and for a file that does not validate (all faults at once).
    """
    if name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
        if not path.is_file():
            raise InputError(f"recipe file {name_or_path!r} does not exist; give a file, or one of {_listed()}")
        text = path.read_text(encoding="utf-8")
    elif name_or_path in recipe_names():
        text = resources.files("training.recipes").joinpath(f"{name_or_path}.yaml").read_text(encoding="utf-8")
    else:
        near = difflib.get_close_matches(name_or_path, recipe_names(), n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known recipes: {_listed()}"
        raise InputError(f"unknown recipe {name_or_path!r}; {hint}")
    try:
        content = yaml.safe_load(text)
        if not isinstance(content, dict):
            raise InputError(f"recipe {name_or_path!r} is not a YAML mapping; start from one of {_listed()}")
        if steps is not None:
            content["steps"] = steps
        return Recipe.model_validate(content)
    except yaml.YAMLError as error:
        raise InputError(f"recipe {name_or_path!r} is not valid YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise InputError(f"recipe {name_or_path!r} does not fit: {describe_faults(error)}") from error


def _listed() -> str:
    return ", ".join(recipe_names())
