"""How a study stands, as data; it holds no score, so it can be shown while the study is blind."""

from policies.model import StrictModel
from tools.study.blinded import BlindView
from tools.study.delivery_model import ArmDelivery
from tools.study.intent import Line
from tools.study.rows import RunState, StudyState


class RunStatus(StrictModel):
    """One run. Reward is the training reward of the last step, not a benchmark score."""

    arm: str
    seed: int
    replicate: int
    state: RunState
    reason: Line = ""
    attempts: int = 0
    step: int = 0
    steps: int
    reward: float | None = None
    eta_s: float | None = None
    """Wall seconds to this run's end; None unless it is running or planned."""
    device_hours: float = 0.0
    """All its attempts so far."""


class StudyStatus(StrictModel):
    """A snapshot from ledger and live metrics."""

    schema_version: int = 1
    id: str
    folder: str
    state: StudyState
    """`interrupted` also when the ledger says running but no supervisor holds the study."""
    phase: str
    reason: Line
    """Why it stands still, and what to mend first."""
    next: Line = ""
    """The command that goes on from here; empty while it moves and when it is done."""
    plan_hash: str
    approved_by: str | None
    seeds: int
    seeds_scored: int
    """Seed blocks that are complete: trained and scored in every arm, or failed in training."""
    blind: BlindView
    runs: tuple[RunStatus, ...]
    delivery: tuple[ArmDelivery, ...] = ()
    """Whether each treatment happened, over the pairs that are done; under labels until the study is done."""
    spent_device_hours: float
    ceiling_device_hours: float | None
    device_hours_unit: str
    eta_s: float | None
    """Wall seconds to the end of the last scoring, runs one after the other; None when nothing moves."""
    report: str | None
    """The report's path, relative to the study folder, once there is one."""

    @property
    def standing(self) -> str:
        """Why it stands still and what to type; empty where there is nothing to say."""
        return "; ".join(words for words in (self.reason, self.way_on) if words)

    @property
    def way_on(self) -> str:
        """The command to type, with what it is; empty where there is none."""
        return self.next and f"{'then' if self.state == 'blocked' else 'next'}: {self.next}"

    @property
    def moves(self) -> bool:
        """Whether a supervisor is at work."""
        return self.state == "running"
