"""One matched run: its specification (`run.json`) and its result (`result.json`)."""

from typing import Literal

from pydantic import Field

from policies.base import PolicySpec
from policies.model import StrictModel
from training.recipe import Recipe


class RunSpec(StrictModel):
    """The specification of one run; `training.identity.run_key` hashes all of it but the deadline."""

    schema_version: Literal[1] = 1
    recipe: Recipe
    policy: PolicySpec
    seed: int = Field(ge=0, lt=2**31)
    """Determines the data order and every random stream of the trainer."""
    replicate: int = Field(default=0, ge=0, lt=2**31)
    """Determines the rollout and sampling streams."""
    deadline_s: float = Field(gt=0)
    """Wall seconds after which the run terminates (outcome `failed`)."""


class RunResult(StrictModel):
    """The result of an attempt, in `attempts/<k>/result.json`, and in the run's own `result.json` if it is final.

    `interrupted` is not final: the run was stopped or lost its processes, and a new attempt continues from the last
    checkpoint. A killed attempt leaves no file, which means the same.
    """

    schema_version: Literal[1] = 1
    outcome: Literal["done", "failed", "interrupted"]
    failure: Literal["training", "infrastructure"] | None = None
    """Kind of failure. `training`: the run diverged, or the algorithm ended it, which is an outcome of its arm.
    `infrastructure`: no evidence about the arm, may be retried. None: unclassified, needs inspection."""
    reason: str = ""
    """One line; empty if done."""
    attempt: int
    steps_done: int
    wall_s: float
    first_step_s: float | None = None
    """Wall seconds from launch to the end of the first step."""
    peak_memory_mb: float | None = None
    """Peak memory of the whole process tree (proportional set size)."""
    device_hours: float
    export: str | None = None
    """Folder of the exported model, relative to the run directory; for a run that failed in training, its last finite
    checkpoint."""
