"""A recipe: everything of a GRPO run that is held fixed while the policy varies."""

from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field

from policies.model import StrictModel


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
