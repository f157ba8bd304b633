"""A recipe: everything in a GRPO run that is held fixed while the policy varies."""

from importlib import resources
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from training.support.nearest import nearest
from training.support.paths import expanded, is_file, is_folder
from training.support.yaml_files import parse_mapping

Words = Annotated[str, Field(pattern=r"^\P{C}+$", max_length=500)]
"""Text of a recipe, without control characters since it is shown on terminals."""
MOST_BYTES = 100_000
"""Maximum size of a recipe file."""


class CostModel(StrictModel):
    """The expected cost of a run on this recipe's hardware; an estimate, never part of a hash."""

    startup_s: float = Field(ge=0, le=1e7)
    step_s: float = Field(ge=1e-6, le=1e6)
    scoring_s: float = Field(ge=0, le=1e7)
    disk_mb: float = Field(ge=0, le=1e9)
    source: Words


class Recipe(StrictModel):
    """Model, data, optimiser, lengths and steps of one GRPO run."""

    schema_version: Literal[1] = 1
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)
    """Also the name of folders of runs and answers."""
    title: Words
    toy: bool
    """Whether results are not evidence about real models, as every report of such a recipe says first."""
    device: Literal["cpu", "cuda"]
    devices: int = Field(ge=1, le=100_000)
    """Number of devices that one run holds; on CPU one run counts as one device."""
    model: Words
    """`builtin:NAME` (shipped) or a Hugging Face id or folder."""
    data: Words
    """`builtin:NAME` or a dataset id."""
    suite: Words
    """The benchmark suite on which its runs are scored."""
    steps: int = Field(ge=1, le=100_000)
    prompts_per_step: int = Field(ge=1, le=1_000_000)
    rollouts_per_prompt: int = Field(ge=2, le=100_000)
    max_prompt_tokens: int = Field(ge=1, le=10_000_000)
    max_response_tokens: int = Field(ge=1, le=10_000_000)
    temperature: float = Field(gt=0)
    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(ge=0)
    clip_gradient_norm: float = Field(gt=0)
    kl_coefficient: float = Field(ge=0)
    checkpoint_every: int = Field(ge=1, le=100_000)
    cost: CostModel

    def held_fixed(self) -> dict[str, object]:
        """Returns the content that identifies the recipe: all but cost estimate, title and checkpoint interval."""
        return self.model_dump(mode="json", exclude={"cost", "title", "checkpoint_every"})


def recipe_names() -> tuple[str, ...]:
    """Returns the names of the shipped recipes."""
    folder = resources.files("training.recipes")
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_recipe(name_or_path: str, *, steps: int | None = None, model: str | None = None) -> Recipe:
    """Loads a shipped recipe by name, or a YAML file by path (anything ending in `.yaml`/`.yml`).

    `steps` and `model` replace the recipe's own. Raises `InputError` for an unknown name (with the nearest names) and
    for a file that does not validate (with all faults).
    """
    if name_or_path.endswith((".yaml", ".yml")):
        text = _read_file(name_or_path)
    elif name_or_path in recipe_names():
        text = resources.files("training.recipes").joinpath(f"{name_or_path}.yaml").read_text(encoding="utf-8")
    else:
        near = nearest(name_or_path, recipe_names())
        hint = f"did you mean {' or '.join(near)}?" if near else f"known recipes: {_listed()}"
        raise InputError(f"unknown recipe {name_or_path!r}; {hint}")
    try:
        content = parse_mapping(text)
    except ValueError as error:
        raise InputError(f"recipe {name_or_path!r} is {error}; start from one of {_listed()}") from error
    if "model" in content:
        content["model"] = _absolute(content["model"])
    content |= {key: value for key, value in (("steps", steps), ("model", model)) if value is not None}
    try:
        return Recipe.model_validate(content)
    except ValidationError as error:
        raise InputError(f"recipe {name_or_path!r} is not valid: {describe_faults(error)}") from error


def _absolute(model: object) -> object:
    """A model folder given relative to the working directory as an absolute path; other models unchanged."""
    if not isinstance(model, str) or model.startswith("builtin:") or not is_folder(expanded(model)):
        return model
    return str(expanded(model).absolute())


def _read_file(name: str) -> str:
    path = expanded(name)
    if not is_file(path):
        raise InputError(f"recipe file {name!r} does not exist; give a file, or one of {_listed()}")
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"recipe file {name!r} is larger than {MOST_BYTES} bytes; start from one of {_listed()}")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"recipe file {name!r} cannot be read ({error}); start from one of {_listed()}") from error


def _listed() -> str:
    return ", ".join(recipe_names())
