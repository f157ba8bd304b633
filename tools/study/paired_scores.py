"""The stored scores of a study as rows and as a table, for some of its seeds."""

from collections.abc import Iterable, Sequence

from tools.scores.table import ScoreRow, ScoreTable
from tools.study.plan import StudyPlan
from tools.study.rows import RunRow, StoredScore


def stored_rows(
    plan: StudyPlan, runs: Iterable[RunRow], scores: Iterable[StoredScore], seeds: Sequence[int]
) -> tuple[ScoreRow, ...]:
    """Scores of the plan's arms at these seeds of the plan, in the order of runs and benchmarks as stored."""
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
    """The same as a table; None where nothing is scored yet."""
    rows = stored_rows(plan, runs, scores, seeds)
    return ScoreTable.from_rows(rows) if rows else None
