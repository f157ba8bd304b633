"""StudyPlan: the frozen, hashed agreement on what will be run and how it will be analysed."""

from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from policies.base import PolicySpec
from policies.model import StrictModel
from tools.plan.analysis import Analysis
from tools.plan.intent import Line
from tools.plan.prior import Prior
from tools.plan.sequential_design import SequentialDesign
from training.recipe import Recipe


class PilotSource(StrictModel):
    """What a plan keeps of its pilot: the spread for its power, and the seeds that it must exclude."""

    study: str
    """The pilot's id."""
    plan_hash: str
    seeds: tuple[int, ...]
    """Seeds of all the pilot's runs; none of them may be a seed of the plan."""
    prior: Prior
    """The spread that the pilot estimated."""


class Arm(StrictModel):
    """One configuration of the study; `id` names its folder and its rows (letters, digits, `.`, `_`, `-`, `=`)."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=-]*$", max_length=80)
    role: Literal["control", "treatment"]
    policy: PolicySpec
    replicate: int | None = Field(default=None, ge=0, lt=2**31)
    """Replicate of the arm's runs; None: the plan's. In a noise study, the only difference between the two arms."""
    seed_offset: int = Field(default=0, ge=0, lt=2**31)
    """Added to each seed of the plan; above 0 only in the second arm of an unmatched noise study."""


class RunPlace(NamedTuple):
    """The seed and replicate with which an arm runs at one seed of the plan."""

    seed: int
    replicate: int


class PlannedBenchmark(StrictModel):
    """A benchmark in the state in which it was planned."""

    id: str
    domain: str
    questions: int = Field(ge=1)
    sha256: str
    """Hash of its questions, answers and grader."""


StudyKind = Literal["compare", "dose", "noise", "pilot"]
"""`dose`: one policy at several strengths against a control. `noise`: one policy against itself. `pilot`: the arms of
a later comparison. The last two estimate the spread of paired differences and give no verdict."""


class StudyPlan(StrictModel):
    """The plan of a study: everything that an approval covers."""

    schema_version: Literal[1] = 1
    kind: StudyKind = "compare"
    question: Line
    title: Line = ""
    notes: tuple[Line, ...] = ()
    arms: tuple[Arm, ...] = Field(min_length=2)
    seeds: tuple[int, ...] = Field(min_length=1)
    """One seed for each pair of runs; an arm with an offset runs at other seeds, given by `run_of`."""
    replicate: int = 0
    recipe: Recipe
    benchmarks: tuple[PlannedBenchmark, ...]
    analysis: Analysis
    pilot: PilotSource | None = None
    """The pilot that supplied the spread for this plan; None: the prior table did."""
    design: SequentialDesign | None = None
    """None: fixed, every seed is run. Sequential: the study may stop after each seed block of all arms."""
    artifacts: dict[str, str]
    """Name -> sha256 of what the runs use: model, training data, reward function, plugin."""
    versions: dict[str, str]
    """Package name -> version."""
    budget_device_hours: float | None = None
    """Ceiling in device-hours: GPU-hours on GPUs, run-hours on CPU."""

    @model_validator(mode="after")
    def _a_noise_study_repeats_no_run(self) -> "StudyPlan":
        """The ledger stores each run once, so two arms with the same run would share it."""
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
            raise ValueError(f"seed {used[0]} was used by the pilot {self.pilot.study if self.pilot else ''}")
        return self

    @property
    def gives_verdict(self) -> bool:
        """Whether the study compares its arms; otherwise it estimates the spread of their differences."""
        return self.kind in ("compare", "dose")

    @property
    def control(self) -> Arm:
        """The control arm."""
        return next(arm for arm in self.arms if arm.role == "control")

    @property
    def treatments(self) -> tuple[Arm, ...]:
        """All arms other than the control, in plan order."""
        return tuple(arm for arm in self.arms if arm.role == "treatment")

    def run_of(self, arm: Arm, seed: int) -> RunPlace:
        """Returns the seed and replicate of the run that an arm contributes to the pair of this seed."""
        return RunPlace(seed + arm.seed_offset, self.replicate if arm.replicate is None else arm.replicate)

    def pair_of(self, arm: str, seed: int, replicate: int) -> int | None:
        """Returns the seed of the plan to whose pair a run belongs; None for a run that is not in this plan."""
        for own in self.arms:
            planned = seed - own.seed_offset
            if own.id == arm and planned in self.seeds and self.run_of(own, planned) == (seed, replicate):
                return planned
        return None
