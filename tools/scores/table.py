"""ScoreTable: every score of a study or of a user's files as one dense array, with NaN for missing scores."""

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
    """One score; its range is checked by `tools.scores.integrity`, which reports all faults at once."""

    arm: str
    seed: int
    suite: str
    benchmark: str
    domain: str = ""
    score: float
    """Score points, 0..100; 0 is a score, a missing score has no row."""
    questions: int | None = None
    """Number of questions it was measured on; None: not recorded."""
    harness: str = ""
    """Fingerprint of prompts, sampling settings and grader; empty: not recorded."""


class PairedScores(NamedTuple):
    """Scores of two arms on the seeds that are complete in both."""

    seeds: tuple[int, ...]
    treatment: NDArray[np.float64]
    """Shape (seeds, benchmarks)."""
    control: NDArray[np.float64]
    """Shape (seeds, benchmarks)."""


class Cell(NamedTuple):
    """The position of a score: arm, seed and benchmark."""

    arm: str
    seed: int
    benchmark: str


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of A arms, N seeds (the union over arms) and B benchmarks; build it with `from_columns` or `from_rows`.

    Arms and benchmarks are in order of first appearance, seeds are sorted.
    """

    suites: tuple[str, ...]
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    benchmarks: tuple[str, ...]
    domains: dict[str, str]
    """Benchmark -> domain."""
    scores: NDArray[np.float64]
    """(A, N, B), NaN if there is no score."""
    questions: NDArray[np.int64]
    """(A, N, B), -1 if not recorded."""
    harnesses: tuple[str, ...]
    harness: NDArray[np.int64]
    """(A, N, B), index into `harnesses`, -1 if there is no score."""
    duplicates: tuple[Cell, ...] = ()
    """Cells that occur more than once; the first value is kept, and the table is not fit for a verdict."""
    domain_conflicts: tuple[str, ...] = ()
    """Benchmarks with more than one domain."""
    empty_runs: frozenset[tuple[str, int]] = frozenset()
    """Arm and seed of runs that are listed without any score: they began, and their outcome is unknown."""
    percent_stated: bool = False
    """Whether the unit was stated to be percent: scores that are all below 1 then do not indicate fractions."""

    @classmethod
    def from_rows(cls, rows: Iterable[ScoreRow]) -> "ScoreTable":
        """Builds the table from rows in any order. Raises InputError if there are none."""
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
        """Builds the table from M scores given as columns of length M, in any order; a single value fills a column.

        A score of NaN is missing: its row says only that the arm, the seed and the benchmark exist. `questions` is -1
        if not recorded. Raises InputError if there is no row, ValueError if the lengths differ.
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
        """Arm -> its index in `arms`."""
        return {arm: index for index, arm in enumerate(self.arms)}

    @cached_property
    def benchmark_index(self) -> dict[str, int]:
        """Benchmark -> its index in `benchmarks`."""
        return {name: index for index, name in enumerate(self.benchmarks)}

    @cached_property
    def _columns(self) -> dict[tuple[str, ...], NDArray[np.int64]]:
        """Indices of each requested list of benchmarks, -1 if unknown; one request for each comparison."""
        return {}

    def of_arm(self, arm: str, benchmarks: Sequence[str]) -> NDArray[np.float64]:
        """Returns the scores of one arm, (N, len(benchmarks)); NaN for missing scores, unknown arms and benchmarks."""
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
        """Returns the pairs on the seeds that have all of these benchmarks in both arms, in increasing order."""
        ours, theirs = self.of_arm(treatment, benchmarks), self.of_arm(control, benchmarks)
        complete = np.asarray(~(np.isnan(ours) | np.isnan(theirs)).any(axis=1))
        if complete.all():
            return PairedScores(self.seeds, ours, theirs)
        return PairedScores(tuple(compress(self.seeds, complete.tolist())), ours[complete], theirs[complete])


def _first_and_again(at: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The first occurrence of each place, and the places that recur, in the order in which they do so."""
    if not len(at) or np.bincount(at).max() == 1:
        return np.arange(len(at)), at[:0]
    later = np.ones(len(at), dtype=bool)
    later[np.unique(at, return_index=True)[1]] = False
    repeated = at[later]
    return np.flatnonzero(~later), repeated[np.sort(np.unique(repeated, return_index=True)[1])]


def _domains(benchmarks: Factor[str], domains: Factor[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The first domain of each benchmark, and the benchmarks with more than one, in order of appearance."""
    pairs, first = np.unique(benchmarks.codes * len(domains.values) + domains.codes, return_index=True)
    found: dict[str, str] = {}
    conflicts: dict[str, None] = {}
    for pair in pairs[np.argsort(first)].tolist():
        name, domain = benchmarks.values[pair // len(domains.values)], domains.values[pair % len(domains.values)]
        if found.setdefault(name, domain) != domain:
            conflicts[name] = None
    return found, tuple(conflicts)
