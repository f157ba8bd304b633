"""ScoreTable: every score of a study or of somebody's file, as one dense array with the holes left as holes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from policies.errors import InputError
from policies.model import StrictModel
from tools.scores.factor import Factor


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
    """Scores of A arms, N seeds (the union over arms) and B benchmarks; build it with `from_columns` or `from_rows`.

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
    empty_runs: frozenset[tuple[str, int]] = frozenset()
    """Arm and seed of runs that were listed without any score: they began, and what became of them is not known."""
    percent_stated: bool = False
    """Somebody said that the scores are points of 100: scores that all lie below 1 are then no sign of fractions."""

    @classmethod
    def from_rows(cls, rows: Iterable[ScoreRow]) -> "ScoreTable":
        """Collects rows in any order. Raises InputError when there is none."""
        rows = tuple(rows)
        return cls.from_columns(
            arm=[row.arm for row in rows],
            seed=[row.seed for row in rows],
            benchmark=[row.benchmark for row in rows],
            score=[row.score for row in rows],
            suite=[row.suite for row in rows],
            domain=[row.domain for row in rows],
            questions=[-1 if row.questions is None else row.questions for row in rows],
            harness=[row.harness for row in rows],
        )

    @classmethod
    def from_columns(
        cls,
        *,
        arm: Factor[str] | Sequence[str],
        seed: Factor[int] | Sequence[int],
        benchmark: Factor[str] | Sequence[str],
        score: ArrayLike,
        suite: Factor[str] | Sequence[str] | str = "",
        domain: Factor[str] | Sequence[str] | str = "",
        questions: ArrayLike = -1,
        harness: Factor[str] | Sequence[str] | str = "",
        percent_stated: bool = False,
    ) -> "ScoreTable":
        """Collects M scores given as columns of length M, in any order; a single value stands for the whole column.

        A score of NaN is a missing one: its row says only that the arm, the seed and the benchmark exist. `questions`
        is -1 where not recorded. Raises InputError when there is no row, ValueError when the lengths differ.
        """
        scores = np.asarray(score, dtype=np.float64)
        rows = len(scores)
        if not rows:
            raise InputError("the score table is empty: at least one row is needed")
        arms, benchmarks = Factor.of(arm, rows), Factor.of(benchmark, rows)
        seeds = Factor.of(seed, rows).sorted()
        shape = (len(arms.values), len(seeds.values), len(benchmarks.values))
        at = np.ravel_multi_index((arms.codes, seeds.codes, benchmarks.codes), shape)
        given = np.flatnonzero(~np.isnan(scores))
        kept, again = _first_and_again(at[given])
        first, target = given[kept], at[given[kept]]
        harnesses = Factor.of(harness, rows)
        dense = {
            "scores": np.full(shape, np.nan),
            "questions": np.full(shape, -1, dtype=np.int64),
            "harness": np.full(shape, -1, dtype=np.int64),
        }
        counts = np.broadcast_to(np.asarray(questions, dtype=np.int64), rows)
        for name, values in (("scores", scores), ("questions", counts), ("harness", harnesses.codes)):
            dense[name].reshape(-1)[target] = values[first]
        listed = np.zeros(shape[:2], dtype=bool)
        listed[arms.codes, seeds.codes] = True
        empty = np.argwhere(listed & np.isnan(dense["scores"]).all(axis=2)).tolist()
        domains, conflicts = _domains(benchmarks, Factor.of(domain, rows))
        duplicates = tuple(
            Cell(arms.values[a], seeds.values[s], benchmarks.values[b])
            for a, s, b in zip(*(index.tolist() for index in np.unravel_index(again, shape)), strict=True)
        )
        return cls(
            suites=Factor.of(suite, rows).values, arms=arms.values, seeds=seeds.values, benchmarks=benchmarks.values,
            domains=domains, harnesses=harnesses.values, duplicates=duplicates, domain_conflicts=conflicts,
            empty_runs=frozenset((arms.values[a], seeds.values[s]) for a, s in empty),
            percent_stated=percent_stated, **dense,
        )  # fmt: skip

    @cached_property
    def arm_index(self) -> dict[str, int]:
        """Arm -> its place in `arms`."""
        return {arm: index for index, arm in enumerate(self.arms)}

    @cached_property
    def benchmark_index(self) -> dict[str, int]:
        """Benchmark -> its place in `benchmarks`."""
        return {name: index for index, name in enumerate(self.benchmarks)}

    @cached_property
    def _columns(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        """Places of each list of benchmarks that was asked for, -1 where unknown: asked once a comparison."""
        return {}

    def of_arm(self, arm: str, benchmarks: Sequence[str]) -> NDArray[np.float64]:
        """Scores of one arm, (N, len(benchmarks)), NaN where there is none; an arm or benchmark unknown is all NaN."""
        at = self.arm_index.get(arm)
        if at is None:
            return np.full((len(self.seeds), len(benchmarks)), np.nan)
        key = tuple(benchmarks)
        columns = self._columns.get(key)
        if columns is None:
            columns = np.array([self.benchmark_index.get(name, -1) for name in key], dtype=np.int64)
            self._columns[key] = columns
        block: NDArray[np.float64] = self.scores[at][:, columns]
        block[:, columns < 0] = np.nan
        return block

    def paired(self, treatment: str, control: str, benchmarks: Sequence[str]) -> PairedScores:
        """The seeds that have every one of these benchmarks in both arms: the overlap, in increasing order."""
        ours, theirs = self.of_arm(treatment, benchmarks), self.of_arm(control, benchmarks)
        complete = np.asarray(~(np.isnan(ours) | np.isnan(theirs)).any(axis=1))
        if complete.all():
            return PairedScores(self.seeds, ours, theirs)
        return PairedScores(tuple(compress(self.seeds, complete.tolist())), ours[complete], theirs[complete])


def _first_and_again(at: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Where each place comes first, and the places that come again, in the order in which they do so."""
    if not len(at) or np.bincount(at).max() == 1:
        return np.arange(len(at)), at[:0]
    later = np.ones(len(at), dtype=bool)
    later[np.unique(at, return_index=True)[1]] = False
    repeated = at[later]
    return np.flatnonzero(~later), repeated[np.sort(np.unique(repeated, return_index=True)[1])]


def _domains(benchmarks: Factor[str], domains: Factor[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The first domain of each benchmark, and the benchmarks that come with more than one, as these turn up."""
    pairs, first = np.unique(benchmarks.codes * len(domains.values) + domains.codes, return_index=True)
    found: dict[str, str] = {}
    conflicts: dict[str, None] = {}
    for pair in pairs[np.argsort(first)].tolist():
        name, domain = benchmarks.values[pair // len(domains.values)], domains.values[pair % len(domains.values)]
        if found.setdefault(name, domain) != domain:
            conflicts[name] = None
    return found, tuple(conflicts)
