"""ScoreTable: every score of a study or of somebody's file, as one dense array with the holes left as holes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from policies.model import StrictModel


class ScoreRow(StrictModel):
    """One score. Range is not checked here but by `tools.scores.integrity`, which names every fault at once."""

    arm: str
    seed: int
    suite: str
    benchmark: str
    domain: str = ""
    score: float
    """Score points, 0..100; 0 is a score, a missing one has no row."""
    questions: int | None = None
    """How many questions it was measured on; None: not recorded."""
    harness: str = ""
    """Fingerprint of prompts, sampling settings and grader; empty: not recorded."""


class PairedScores(NamedTuple):
    """Two arms on the seeds that both have complete."""

    seeds: tuple[int, ...]
    treatment: NDArray[np.float64]
    """(seeds, benchmarks)."""
    control: NDArray[np.float64]
    """(seeds, benchmarks)."""


class Cell(NamedTuple):
    """Where a score belongs."""

    arm: str
    seed: int
    benchmark: str


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of A arms, N seeds (the union over arms) and B benchmarks; build it with `from_rows`.

    Arms, seeds and benchmarks keep the order in which they first appear, seeds are sorted.
    """

    suites: tuple[str, ...]
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    benchmarks: tuple[str, ...]
    domains: dict[str, str]
    """Benchmark -> domain."""
    scores: NDArray[np.float64]
    """(A, N, B), NaN where there is no score."""
    questions: NDArray[np.int64]
    """(A, N, B), -1 where not recorded."""
    harnesses: tuple[str, ...]
    harness: NDArray[np.int64]
    """(A, N, B), index into `harnesses`, -1 where there is no score."""
    duplicates: tuple[Cell, ...] = ()
    """Cells that came more than once; the first value is kept, and the table is not fit for a verdict."""
    domain_conflicts: tuple[str, ...] = ()
    """Benchmarks that came with more than one domain."""

    @classmethod
    def from_rows(cls, rows: Iterable[ScoreRow]) -> "ScoreTable":
        """Collects rows in any order. Raises InputError when there is none."""
        rows = tuple(rows)
        if not rows:
            raise InputError("the score table is empty: at least one row is needed")
        arms = tuple(dict.fromkeys(row.arm for row in rows))
        seeds = tuple(sorted({row.seed for row in rows}))
        benchmarks = tuple(dict.fromkeys(row.benchmark for row in rows))
        harnesses = tuple(dict.fromkeys(row.harness for row in rows))
        arm_at, seed_at, benchmark_at, harness_at = (
            {value: index for index, value in enumerate(values)} for values in (arms, seeds, benchmarks, harnesses)
        )
        shape = (len(arms), len(seeds), len(benchmarks))
        scores = np.full(shape, np.nan)
        questions = np.full(shape, -1, dtype=np.int64)
        harness = np.full(shape, -1, dtype=np.int64)
        domains: dict[str, str] = {}
        duplicates: dict[Cell, None] = {}
        conflicts: dict[str, None] = {}
        for row in rows:
            at = (arm_at[row.arm], seed_at[row.seed], benchmark_at[row.benchmark])
            if domains.setdefault(row.benchmark, row.domain) != row.domain:
                conflicts[row.benchmark] = None
            if harness[at] >= 0:
                duplicates[Cell(row.arm, row.seed, row.benchmark)] = None
                continue
            scores[at] = row.score
            questions[at] = -1 if row.questions is None else row.questions
            harness[at] = harness_at[row.harness]
        suites = tuple(dict.fromkeys(row.suite for row in rows))
        return cls(
            suites, arms, seeds, benchmarks, domains, scores, questions, harnesses, harness,
            tuple(duplicates), tuple(conflicts),
        )  # fmt: skip

    def of_arm(self, arm: str, benchmarks: Sequence[str]) -> NDArray[np.float64]:
        """Scores of one arm, (N, len(benchmarks)), NaN where there is none; an arm or benchmark unknown is all NaN."""
        block = np.full((len(self.seeds), len(benchmarks)), np.nan)
        if arm in self.arms:
            own = self.scores[self.arms.index(arm)]
            for column, benchmark in enumerate(benchmarks):
                if benchmark in self.benchmarks:
                    block[:, column] = own[:, self.benchmarks.index(benchmark)]
        return block

    def paired(self, treatment: str, control: str, benchmarks: Sequence[str]) -> PairedScores:
        """The seeds that have every one of these benchmarks in both arms: the overlap, in increasing order."""
        ours, theirs = self.of_arm(treatment, benchmarks), self.of_arm(control, benchmarks)
        complete = np.asarray(~(np.isnan(ours) | np.isnan(theirs)).any(axis=1))
        seeds = tuple(seed for seed, keep in zip(self.seeds, complete.tolist(), strict=True) if keep)
        return PairedScores(seeds, ours[complete], theirs[complete])
