"""Reads everything that the ledger holds on a study at once."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import StudyPlan
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.power.model import PowerStatement
from tools.study.folder import Study
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


class Stored(NamedTuple):
    """Everything that the ledger holds on a study."""

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
    """Hash -> plan of every version, the current one last."""

    @classmethod
    def read(cls, study: Study) -> "Stored":
        """Reads the ledger. Raises AdvisorError or RefusedError if it cannot be trusted."""
        with study.ledger(read_only=True) as ledger:
            return cls(
                ledger.study().id, ledger.plan(), ledger.plan_hash(), ledger.power(), ledger.approval(),
                ledger.runs(), ledger.attempts(), ledger.scores(), ledger.events(), ledger.spent_device_hours(),
                ledger.looks(), ledger.unblindings(), ledger.amendments(), ledger.plans(),
            )  # fmt: skip

    @property
    def scoring_device_hours(self) -> float:
        """Device-hours of all scorings, failed ones included."""
        trained = math.fsum(attempt.device_hours or 0.0 for attempt in self.attempts)
        return max(0.0, self.spent_device_hours - trained)

    def run(self, arm: str, seed: int) -> RunRow | None:
        """Returns an arm's run at a seed of the plan if it has ended permanently (done, or failed in training)."""
        wanted = {(own.id, *self.plan.run_of(own, seed)) for own in self.plan.arms if own.id == arm}
        rows = (row for row in self.runs if (row.arm, row.seed, row.replicate) in wanted)
        return next((row for row in rows if row.is_outcome), None)

    @property
    def scheduled(self) -> dict[str, tuple[int, ...]]:
        """Arm -> the seeds that it has to run by the looks so far."""
        return scheduled_seeds(self.plan, self.looks)

    def design_of(self, treatment: str) -> SequentialDesign | None:
        """Returns the design whose bounds apply to a treatment: that of the look that stopped it, despite amendments.

        A treatment that no look has stopped has the design of the current plan; None if that plan is fixed.
        """
        if self.plan.design is None:
            return None
        stops = (row for row in self.looks if row.treatment == treatment and row.stops)
        read = next((self.plans[row.plan_hash].design for row in stops if row.plan_hash in self.plans), None)
        return read or self.plan.design

    def scored_pairs(self, treatment: str) -> tuple[int, ...]:
        """Returns the seeds at which treatment and control both have scores; its other seeds are lost pairs."""
        scored = {score.run for score in self.scores}
        arms = (treatment, self.plan.control.id)
        runs = {seed: [self.run(arm, seed) for arm in arms] for seed in self.scheduled[treatment]}
        return tuple(seed for seed, pair in runs.items() if all(run and run.id in scored for run in pair))


def stored_rows(
    plan: StudyPlan, runs: Iterable[RunRow], scores: Iterable[StoredScore], seeds: Sequence[int]
) -> tuple[ScoreRow, ...]:
    """Returns the scores of the plan's arms at these seeds, in the stored order of runs and benchmarks."""
    paired = {run.id: (run.arm, plan.pair_of(run.arm, run.seed, run.replicate)) for run in runs}
    wanted = {run: (arm, seed) for run, (arm, seed) in paired.items() if seed is not None and seed in seeds}
    return tuple(
        ScoreRow(
            arm=wanted[score.run][0],
            seed=wanted[score.run][1],
            suite=score.suite,
            benchmark=score.benchmark,
            domain=score.domain,
            score=score.score,
            questions=score.questions,
            harness=score.harness,
        )
        for score in scores
        if score.run in wanted
    )


def score_table(
    plan: StudyPlan, runs: Iterable[RunRow], scores: Iterable[StoredScore], seeds: Sequence[int]
) -> ScoreTable | None:
    """Returns the scores of the plan's arms at these seeds as a table; None if nothing is scored yet."""
    rows = stored_rows(plan, runs, scores, seeds)
    return ScoreTable.from_rows(rows) if rows else None
