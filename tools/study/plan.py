"""StudyPlan: the frozen, hashed agreement about what will be run and how it will be judged."""

from collections.abc import Collection
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from policies.base import PolicySpec
from policies.model import StrictModel
from tools.statistics.sequential.model import SequentialDesign
from tools.study.intent import Line
from tools.study.pilot_source import PilotSource
from training.recipe import Recipe


class Arm(StrictModel):
    """One configuration of the study; `id` names its folder and its rows (letters, digits, `.`, `_`, `-`, `=`)."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=-]*$", max_length=80)
    role: Literal["control", "treatment"]
    policy: PolicySpec
    replicate: int | None = Field(default=None, ge=0, lt=2**31)
    """Of its runs; None: the plan's. In a noise study it is all that the two arms differ in."""
    seed_offset: int = Field(default=0, ge=0, lt=2**31)
    """Added to each seed of the plan; above 0 in the second arm of a noise study whose pairs have different seeds."""


class RunPlace(NamedTuple):
    """Which run an arm makes at a seed of the plan."""

    seed: int
    replicate: int


class PlannedBenchmark(StrictModel):
    """A benchmark as it was when the plan was made."""

    id: str
    domain: str
    questions: int = Field(ge=1)
    sha256: str
    """Of its questions, answers and grader."""


Points = Annotated[float, Field(gt=0, le=100)]


class Analysis(StrictModel):
    """How the scores will be judged; fixed before any score exists."""

    method: Literal["paired-t, Bonferroni over treatments"] = "paired-t, Bonferroni over treatments"
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    family_size: int = Field(ge=1)
    """k: treatments compared with this control."""
    primary: str = "domain_balanced_12"
    summaries: dict[str, dict[str, float]]
    """The verdict set: name -> weight of each benchmark (sum 1)."""
    sesoi: Points | dict[str, Points] = 1.0
    """Smallest effect of interest, score points: one number, or one for each summary of the verdict set."""
    minimum_dose: float = Field(default=0.05, ge=0, le=1)

    @model_validator(mode="after")
    def _every_summary_has_a_sesoi(self) -> "Analysis":
        asked = dict.fromkeys((*self.summaries, self.primary))
        missing = [] if isinstance(self.sesoi, float) else [name for name in asked if name not in self.sesoi]
        if missing:
            raise ValueError(f"sesoi must be one number or name every summary: {', '.join(missing)} has none")
        return self

    def sesoi_of(self, summary: str) -> float:
        """The smallest effect of interest under one summary of the verdict set."""
        return self.sesoi if isinstance(self.sesoi, float) else self.sesoi[summary]

    def sesois(self, summaries: Collection[str] = ()) -> tuple[float, ...]:
        """The same for several summaries; by default for the verdict set, in its order."""
        return tuple(self.sesoi_of(name) for name in summaries or self.summaries)

    @property
    def primary_sesoi(self) -> float:
        """Under the primary summary: the effect that a plan is made for."""
        return self.sesoi if isinstance(self.sesoi, float) else self.sesoi[self.primary]


StudyKind = Literal["compare", "dose", "noise", "pilot"]
"""`dose`: a comparison of one policy at several strengths with a control. `noise`: one policy against itself. `pilot`:
the arms of a comparison to come. The last two are made for the spread of paired differences and give no verdict."""


class StudyPlan(StrictModel):
    """Everything that an approval covers."""

    schema_version: Literal[1] = 1
    kind: StudyKind = "compare"
    question: Line
    title: Line = ""
    notes: tuple[Line, ...] = ()
    arms: tuple[Arm, ...] = Field(min_length=2)
    seeds: tuple[int, ...] = Field(min_length=1)
    """One a pair of runs; an arm with an offset runs at others, `run_of` says at which."""
    replicate: int = 0
    recipe: Recipe
    benchmarks: tuple[PlannedBenchmark, ...]
    analysis: Analysis
    pilot: PilotSource | None = None
    """What the spread was taken from that this plan was made with; None: from the prior table."""
    design: SequentialDesign | None = None
    """None: fixed, every seed is run. Sequential: after each seed block of all arms the study may stop."""
    artifacts: dict[str, str]
    """sha256 of what the runs use: model, training data, reward function, plugin."""
    versions: dict[str, str]
    """Package name -> version."""
    budget_device_hours: float | None = None
    """Ceiling; GPU-hours on GPUs, run-hours on CPU."""

    @model_validator(mode="after")
    def _a_noise_study_repeats_no_run(self) -> "StudyPlan":
        """The ledger keeps a run once, so two arms that make the same one would share it."""
        if self.kind == "noise":
            places = [self.run_of(arm, seed) for arm in self.arms for seed in self.seeds]
            if len({arm.policy.model_dump_json() for arm in self.arms}) != 1:
                raise ValueError("the arms of a noise study must have the same policy")
            if len(set(places)) != len(places):
                raise ValueError("the arms of a noise study must differ in replicate or in seeds")
        return self

    @model_validator(mode="after")
    def _no_seed_of_the_pilot_enters(self) -> "StudyPlan":
        used = sorted(set(self.seeds) & set(self.pilot.seeds)) if self.pilot else []
        if used:
            raise ValueError(f"seed {used[0]} is one of the pilot {self.pilot.study if self.pilot else ''}")
        return self

    @property
    def gives_verdict(self) -> bool:
        """Whether the arms are compared; else the study is made for the spread of their differences."""
        return self.kind in ("compare", "dose")

    @property
    def control(self) -> Arm:
        """The one control arm."""
        return next(arm for arm in self.arms if arm.role == "control")

    @property
    def treatments(self) -> tuple[Arm, ...]:
        """All other arms, in plan order."""
        return tuple(arm for arm in self.arms if arm.role == "treatment")

    def run_of(self, arm: Arm, seed: int) -> RunPlace:
        """The run of an arm that belongs to the pair of this seed."""
        return RunPlace(seed + arm.seed_offset, self.replicate if arm.replicate is None else arm.replicate)

    def pair_of(self, arm: str, seed: int, replicate: int) -> int | None:
        """The seed of the plan whose pair a run belongs to; None for a run that is not of this plan."""
        for own in self.arms:
            planned = seed - own.seed_offset
            if own.id == arm and planned in self.seeds and self.run_of(own, planned) == (seed, replicate):
                return planned
        return None
