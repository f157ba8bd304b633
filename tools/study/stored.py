"""All that the ledger knows of a study, read at once."""

import math
from typing import NamedTuple

from tools.statistics.power_model import PowerStatement
from tools.study.plan import StudyPlan
from tools.study.rows import ApprovalRow, AttemptRow, EventRow, RunRow, StoredScore
from tools.study.study import Study


class Stored(NamedTuple):
    """All that the ledger knows of a study."""

    id: str
    plan: StudyPlan
    plan_hash: str
    power: PowerStatement | None
    approval: ApprovalRow | None
    runs: tuple[RunRow, ...]
    attempts: tuple[AttemptRow, ...]
    scores: tuple[StoredScore, ...]
    events: tuple[EventRow, ...]
    spent_device_hours: float
    """Of all attempts and scorings."""

    @classmethod
    def read(cls, study: Study) -> "Stored":
        """Raises AdvisorError or RefusedError when the ledger cannot be trusted."""
        with study.ledger(read_only=True) as ledger:
            return cls(
                ledger.study().id,
                ledger.plan(),
                ledger.plan_hash(),
                ledger.power(),
                ledger.approval(),
                ledger.runs(),
                ledger.attempts(),
                ledger.scores(),
                ledger.events(),
                ledger.spent_device_hours(),
            )

    @property
    def scoring_device_hours(self) -> float:
        """Of all scorings, failed ones included."""
        trained = math.fsum(attempt.device_hours or 0.0 for attempt in self.attempts)
        return max(0.0, self.spent_device_hours - trained)

    def run(self, arm: str, seed: int) -> RunRow | None:
        """The done run of an arm at a seed."""
        rows = (row for row in self.runs if (row.arm, row.seed, row.replicate) == (arm, seed, self.plan.replicate))
        return next((row for row in rows if row.state == "done"), None)
