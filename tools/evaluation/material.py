"""ReportMaterial: everything that a report is made of, as plain data; whoever holds the ledger fills it in."""

from pydantic import Field

from policies.model import StrictModel
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import StudyPlan
from tools.scores.table import ScoreRow
from tools.statistics.delivery_model import ArmDelivery
from tools.statistics.power.model import PowerStatement
from tools.statistics.sequential.model import Look
from tools.statistics.spread.spread_study import SpreadStudy
from tools.statistics.verdict_model import Verdict


class Mismatch(StrictModel):
    """One thing that differs between the two arms of a pair and may not."""

    treatment: str
    seed: int
    key: str
    """Dotted config key, package, environment variable, argv position or artifact."""
    control_value: str
    treatment_value: str


class Matching(StrictModel):
    """The check that arms differ in nothing but the policy."""

    pairs: int = Field(ge=0)
    """Pairs of runs that were compared."""
    compared: tuple[str, ...]
    """What was compared: `resolved config`, `artifact hashes`, ..."""
    differences: tuple[Mismatch, ...] = ()
    """Empty: matched."""
    apart: str = "the policy"
    """What the runs of a pair were to differ in."""


class ReportRun(StrictModel):
    """One run of the study, over all its attempts."""

    arm: str
    seed: int
    state: str
    """`done`, `failed`, `interrupted`, `planned`, ..."""
    attempts: int = Field(ge=0)
    steps: int = Field(ge=0)
    wall_s: float | None = Field(default=None, ge=0)
    device_hours: float = Field(ge=0)
    """Training in all attempts, failed ones included."""
    reason: str = ""
    """Why it failed; one line."""
    folder: str = ""
    """Relative to the study folder."""


class Approval(StrictModel):
    """Who agreed to the plan."""

    who: str
    when: str
    """ISO 8601, as stored."""
    ceiling_device_hours: float | None = None


class Deviation(StrictModel):
    """Something that did not go as planned, or an exception that was recorded."""

    when: str
    what: str


class Curve(StrictModel):
    """Mean training reward of one run."""

    arm: str
    seed: int
    points: tuple[tuple[int, float], ...]
    """(step, mean reward in [0, 1])."""


class Outcome(StrictModel):
    """A quantity that the policy may change and that is not a score: response length, tokens, device-hours."""

    name: str
    unit: str
    decimals: int = Field(default=1, ge=0, le=6)
    values: dict[str, dict[str, float]]
    """Arm -> seed -> value of the run."""


class LookRecord(StrictModel):
    """One look of a sequential study at one treatment."""

    treatment: str
    blocks: int = Field(ge=1)
    """Seed blocks that were complete."""
    look: Look


class ReportMaterial(StrictModel):
    """All that `build_report` reads; the same material gives the same bytes."""

    schema_version: int = 1
    study_id: str
    plan: StudyPlan
    plan_hash: str
    verdict: Verdict
    """Without comparison where the study compares nothing."""
    spread: SpreadStudy | None = None
    """Of a study that compares nothing."""
    pilot_delivery: tuple[ArmDelivery, ...] = ()
    """Of a pilot's treatments: they are in no comparison that could hold it."""
    scores: tuple[ScoreRow, ...] = ()
    power: PowerStatement | None = None
    """What the plan could detect, computed before it ran."""
    matching: Matching | None = None
    """None: not checked."""
    runs: tuple[ReportRun, ...] = ()
    scoring_device_hours: float = Field(default=0.0, ge=0)
    """Of all scorings, failed ones included."""
    approval: Approval | None = None
    deviations: tuple[Deviation, ...] = ()
    looks: tuple[LookRecord, ...] = ()
    """In the order in which they were made; none where the plan is fixed."""
    designs: dict[str, SequentialDesign] = Field(default={})
    """Treatment -> the design whose bounds its verdict reads; none where the number of seeds was fixed."""
    exploratory: str = ""
    """Why the verdict confirms nothing, as a part of a sentence; empty where it does."""
    curves: tuple[Curve, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    hardware: dict[str, str] = Field(default={})
    """`cpu: 2 cores`, ..."""
    versions: dict[str, str] = Field(default={})
    """Package -> version that really ran."""
    commands: tuple[str, ...] = ()
    """Exact commands that reproduce the study and the report."""
