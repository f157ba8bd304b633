"""The rows of the ledger, one type for each table."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from tools.statistics.sequential.model import LookDecision

StudyState = Literal["planned", "approved", "running", "blocked", "interrupted", "stopped", "done"]
Failure = Literal["training", "infrastructure"]
"""Kind of failure: `training` is an outcome of the arm; `infrastructure` is no evidence about it and may be retried."""
RunState = Literal["planned", "running", "done", "failed", "interrupted"]
Outcome = Literal["done", "failed", "lost", "stopped"]
"""How an attempt ended: `lost`: no result, as its process vanished; `stopped`: on request or at the ceiling."""


Amount = Annotated[float, Field(ge=0)]


class StudyRow(NamedTuple):
    """The study itself."""

    id: str
    created: str
    state: StudyState
    phase: str
    """Current activity of the supervisor, in words."""
    reason: str
    """Why the study is blocked, interrupted or stopped; one line."""


class StoredPlan(NamedTuple):
    """One version of the plan."""

    bytes: bytes
    hash: str


class Spent(NamedTuple):
    """Device-hours of all ended attempts and scorings."""

    attempts: Amount
    scorings: Amount


class ApprovalRow(NamedTuple):
    """A person's approval of one plan."""

    who: str
    at: str
    plan_hash: str
    ceiling_device_hours: Amount


class RunRow(NamedTuple):
    """One arm at one seed."""

    id: int
    arm: str
    seed: int
    replicate: int
    run_key: str
    folder: Annotated[str, Field(pattern=r"^runs(/[A-Za-z0-9][A-Za-z0-9._=-]*)+$")]
    """Relative to the study folder."""
    state: RunState
    reason: str
    failure: Failure | None = None
    """Kind of failure of a failed run; None also if an earlier version did not record it."""

    @property
    def is_outcome(self) -> bool:
        """Whether the run has ended permanently, as trained or as failed in training."""
        return self.state == "done" or (self.state == "failed" and self.failure == "training")


class AttemptRow(NamedTuple):
    """One process (or intent to start one) that works on a run."""

    id: int
    run: int
    k: int
    host: str
    boot_id: str
    pid: int | None
    process_started: float | None
    """Clock ticks since boot; with boot id and pid it identifies one process."""
    started: float
    """Unix seconds."""
    ended: float | None
    outcome: Outcome | None
    reason: str
    device_hours: Amount | None


class StoredScore(NamedTuple):
    """A checkpoint's score on one benchmark."""

    run: int
    score_key: str
    suite: str
    benchmark: str
    domain: str
    score: float
    """0 to 100."""
    questions: int
    sha256: str
    """Hash of the benchmark's questions, answers and grader."""
    harness: str


class LookRow(NamedTuple):
    """One look at one treatment of a sequential study."""

    treatment: str
    blocks: Annotated[int, Field(ge=1)]
    """Number of complete seed blocks."""
    n: Annotated[int, Field(ge=0)]
    """Number of pairs in the look."""
    decision: LookDecision
    blinded_reason: str
    """Why the treatment stops or continues, without arm, sign or score."""
    look: str
    """The whole look as JSON; hidden by arm until the study is done or was unblinded."""
    plan_hash: str
    """Hash of the plan whose design the look followed."""
    at: str

    @property
    def stops(self) -> bool:
        """Whether this treatment needs no further seed."""
        return self.decision != "go_on"


class UnblindingRow(NamedTuple):
    """A request to see scores by arm before the study was done."""

    who: str
    at: str
    reason: str


class AmendmentRow(NamedTuple):
    """A change of the plan after it was made."""

    who: str
    at: str
    plan_hash: str
    """Hash of the plan as amended."""
    change: str
    exploratory: str
    """Why later results are exploratory; empty if no score could have led to the change."""


class EventRow(NamedTuple):
    """One event of the study."""

    id: int
    at: str
    kind: str
    text: str
