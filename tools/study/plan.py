"""StudyPlan: the frozen, hashed agreement about what will be run and how it will be judged."""

from typing import Literal

from pydantic import Field

from policies.base import PolicySpec
from policies.model import StrictModel
from tools.study.intent import Line
from training.recipe import Recipe


class Arm(StrictModel):
    """One configuration of the study; `id` names its folder and its rows (letters, digits, `.`, `_`, `-`, `=`)."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=-]*$", max_length=80)
    role: Literal["control", "treatment"]
    policy: PolicySpec


class PlannedBenchmark(StrictModel):
    """A benchmark as it was when the plan was made."""

    id: str
    domain: str
    questions: int = Field(ge=1)
    sha256: str
    """Of its questions, answers and grader."""


class Analysis(StrictModel):
    """How the scores will be judged; fixed before any score exists."""

    method: Literal["paired-t, Bonferroni over treatments"] = "paired-t, Bonferroni over treatments"
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    family_size: int = Field(ge=1)
    """k: treatments compared with this control."""
    primary: str = "domain_balanced_12"
    summaries: dict[str, dict[str, float]]
    """The verdict set: name -> weight of each benchmark (sum 1)."""
    sesoi: float = Field(default=1.0, gt=0, le=100)
    """Smallest effect of interest, score points."""
    minimum_dose: float = Field(default=0.05, ge=0, le=1)


class StudyPlan(StrictModel):
    """Everything that an approval covers."""

    schema_version: Literal[1] = 1
    kind: Literal["compare"] = "compare"
    question: Line
    title: Line = ""
    notes: tuple[Line, ...] = ()
    arms: tuple[Arm, ...] = Field(min_length=2)
    seeds: tuple[int, ...] = Field(min_length=1)
    replicate: int = 0
    recipe: Recipe
    benchmarks: tuple[PlannedBenchmark, ...]
    analysis: Analysis
    artifacts: dict[str, str]
    """sha256 of what the runs use: model, training data, reward function, plugin."""
    versions: dict[str, str]
    """Package name -> version."""
    budget_device_hours: float | None = None
    """Ceiling; GPU-hours on GPUs, run-hours on CPU."""

    @property
    def control(self) -> Arm:
        """The one control arm."""
        return next(arm for arm in self.arms if arm.role == "control")

    @property
    def treatments(self) -> tuple[Arm, ...]:
        """All other arms, in plan order."""
        return tuple(arm for arm in self.arms if arm.role == "treatment")
