"""All that the ledger knows of a study, read at once."""

import math
from typing import NamedTuple

from tools.statistics.power_model import PowerStatement
from tools.statistics.sequential.model import SequentialDesign
from tools.study.plan import StudyPlan
from tools.study.rows import (
    AmendmentRow,
    ApprovalRow,
    AttemptRow,
    EventRow,
    LookRow,
    RunRow,
    StoredScore,
    UnblindingRow,
)
from tools.study.schedule import scheduled_seeds
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
    looks: tuple[LookRow, ...]
    unblindings: tuple[UnblindingRow, ...]
    amendments: tuple[AmendmentRow, ...]
    plans: dict[str, StudyPlan]
    """Hash -> plan, as it was before each amendment and as it is."""

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
                ledger.looks(),
                ledger.unblindings(),
                ledger.amendments(),
                ledger.plans(),
            )

    @property
    def scoring_device_hours(self) -> float:
        """Of all scorings, failed ones included."""
        trained = math.fsum(attempt.device_hours or 0.0 for attempt in self.attempts)
        return max(0.0, self.spent_device_hours - trained)

    def run(self, arm: str, seed: int) -> RunRow | None:
        """The run of an arm at a seed of the plan that has ended for good, done or failed in training."""
        wanted = {(own.id, *self.plan.run_of(own, seed)) for own in self.plan.arms if own.id == arm}
        rows = (row for row in self.runs if (row.arm, row.seed, row.replicate) in wanted)
        return next((row for row in rows if row.is_outcome), None)

    @property
    def scheduled(self) -> dict[str, tuple[int, ...]]:
        """Arm -> the seeds that it had to run."""
        return scheduled_seeds(self.plan, self.looks)

    def design_of(self, treatment: str) -> SequentialDesign | None:
        """Whose bounds hold for a treatment: those that its last look read, whatever an amendment made of them later.

        None where the number of seeds is fixed now.
        """
        if self.plan.design is None:
            return None
        stops = (row for row in self.looks if row.treatment == treatment and row.stops)
        read = next((self.plans[row.plan_hash].design for row in stops if row.plan_hash in self.plans), None)
        return read or self.plan.design

    def scored_pairs(self, treatment: str) -> tuple[int, ...]:
        """Seeds at which both the treatment and the control have scores; the others of its seeds are lost pairs."""
        scored = {score.run for score in self.scores}
        arms = (treatment, self.plan.control.id)
        runs = {seed: [self.run(arm, seed) for arm in arms] for seed in self.scheduled[treatment]}
        return tuple(seed for seed, pair in runs.items() if all(run and run.id in scored for run in pair))
