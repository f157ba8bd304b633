"""The status of a study as data; it holds no score, so it can be shown while the study is blind."""

from policies.model import StrictModel
from tools.plan.intent import Line
from tools.statistics.delivery_model import ArmDelivery
from tools.study.blinded import BlindView
from tools.study.rows import RunState, StudyState


class RunStatus(StrictModel):
    """The status of one run; `reward` is the training reward of the last step, not a benchmark score."""

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
    """Of all its attempts so far."""


class StudyStatus(StrictModel):
    """A snapshot of a study from its ledger and live metrics."""

    schema_version: int = 1
    id: str
    folder: str
    state: StudyState
    """`interrupted` also if the ledger says `running` but no supervisor holds the study."""
    phase: str
    reason: Line
    """Why the study is not running, and what to fix first."""
    next: Line = ""
    """The command that continues the study; empty while it runs and once it is done."""
    plan_hash: str
    approved_by: str | None
    seeds: int
    seeds_scored: int
    """Number of complete seed blocks: trained and scored in every arm, or failed in training."""
    blind: BlindView
    runs: tuple[RunStatus, ...]
    delivery: tuple[ArmDelivery, ...] = ()
    """Whether each treatment was delivered, over the completed pairs; under labels until the study is done."""
    spent_device_hours: float
    ceiling_device_hours: float | None
    device_hours_unit: str
    eta_s: float | None
    """Wall seconds to the end of the last scoring, runs one after the other; None if the study is not running."""
    report: str | None
    """The report's path, relative to the study folder; None until it is written."""

    @property
    def standing(self) -> str:
        """Why the study is not running and which command continues it; empty if neither applies."""
        return "; ".join(words for words in (self.reason, self.way_on) if words)

    @property
    def way_on(self) -> str:
        """The command that continues the study, introduced by `next:` or `then:`; empty if there is none."""
        return self.next and f"{'then' if self.state == 'blocked' else 'next'}: {self.next}"

    @property
    def moves(self) -> bool:
        """Whether a supervisor is running."""
        return self.state == "running"
