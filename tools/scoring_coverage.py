"""Tool: which checkpoints are scored. It tells no score: they stay hidden by arm until the study is done."""

from policies.model import StrictModel
from tools.study.folder import Study


class Scored(StrictModel):
    """One run's place in the scoring."""

    arm: str
    seed: int
    state: str
    """Of the run: `done`, `running`, ..."""
    benchmarks: int
    """How many benchmarks are scored."""
    of: int
    """How many the plan has."""


def scoring_coverage(study: Study) -> tuple[Scored, ...]:
    """Coverage of a study by arm and seed; the supervisor scores each block as soon as its runs are done."""
    with study.ledger(read_only=True) as ledger:
        planned = len(ledger.plan().benchmarks)
        counts: dict[int, int] = {}
        for row in ledger.scores():
            counts[row.run] = counts.get(row.run, 0) + 1
        return tuple(
            Scored(arm=run.arm, seed=run.seed, state=run.state, benchmarks=counts.get(run.id, 0), of=planned)
            for run in ledger.runs()
        )
