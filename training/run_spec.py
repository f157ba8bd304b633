"""One matched run: what it is told to do (`run.json`) and how it ended (`result.json`)."""

from typing import Literal

from pydantic import Field

from policies.base import PolicySpec
from policies.model import StrictModel
from training.recipe import Recipe


class RunSpec(StrictModel):
    """One job. `run_key` (training.identity) hashes recipe, policy, seed, replicate, artifacts and versions."""

    schema_version: Literal[1] = 1
    recipe: Recipe
    policy: PolicySpec
    seed: int = Field(ge=0, lt=2**31)
    """Data order and every trainer stream."""
    replicate: int = Field(default=0, ge=0, lt=2**31)
    """Rollout and sampling streams."""
    deadline_s: float = Field(gt=0)
    """Wall seconds after which the run ends itself (outcome `failed`)."""


class RunResult(StrictModel):
    """How an attempt ended: always in `attempts/<k>/result.json`, and in the run's own `result.json` when it is final.

    `interrupted` is not final: the run was stopped or lost its processes, and a new attempt continues from the last
    checkpoint. A killed attempt leaves no file at all, which means the same.
    """

    schema_version: Literal[1] = 1
    outcome: Literal["done", "failed", "interrupted"]
    failure: Literal["training", "infrastructure"] | None = None
    """Of a failed run. `training`: it diverged, or the algorithm ended it, an outcome of its arm. `infrastructure`: it
    tells nothing about the arm and may be run again. None: of neither kind for sure, so somebody has to look."""
    reason: str = ""
    """One line; empty when done."""
    attempt: int
    steps_done: int
    wall_s: float
    first_step_s: float | None = None
    """Launch to the end of the first step."""
    peak_memory_mb: float | None = None
    """Of the whole process tree (proportional set size)."""
    device_hours: float
    export: str | None = None
    """Folder of the exported model, relative to the run directory; of a run that failed in training, its last finite
    checkpoint."""
