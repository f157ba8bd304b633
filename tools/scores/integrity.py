"""Faults that make a score table unfit for a verdict, one line each, and notes on a table that is fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.scores.table import ScoreTable

SHOWN = 3
"""The most places that a line lists."""
_ROUNDING = 0.005
"""Score points; scores may have two decimals."""
_NEAR = 10.0
"""Score points within which a score times 100 counts as similar to the others."""
_FEW = 3
"""Minimum number of scores for a note on a constant column."""


@dataclass(frozen=True)
class _View:
    """The part of a table that one comparison uses."""

    table: ScoreTable
    arms: tuple[str, ...]
    benchmarks: tuple[str, ...]
    scores: NDArray[np.float64]
    """(arms, N, benchmarks); so are the next two."""
    questions: NDArray[np.int64]
    harness: NDArray[np.int64]


def faults(
    table: ScoreTable, arms: Sequence[str] | None = None, benchmarks: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Returns the faults that make the verdict `invalid_data`, one line each; empty if the table is fit.

    Only the named arms and benchmarks are checked (default: all). A missing cell is not a fault: the seed is left out
    and `notes` reports it. Nothing is repaired.
    """
    view = _view(table, arms, benchmarks)
    return tuple(line for check in _FAULTS for line in check(view))


def notes(
    table: ScoreTable, arms: Sequence[str] | None = None, benchmarks: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Returns notes on a table that is fit, one line each: missing cells, different seeds, identical arms."""
    view = _view(table, arms, benchmarks)
    return tuple(line for check in _NOTES for line in check(view))


def _view(table: ScoreTable, arms: Sequence[str] | None, benchmarks: Sequence[str] | None) -> _View:
    rows = _places(table.arm_index, arms)
    columns = _places(table.benchmark_index, benchmarks)
    at = np.ix_(rows, range(len(table.seeds)), columns)
    return _View(
        table,
        tuple(table.arms[row] for row in rows),
        tuple(table.benchmarks[column] for column in columns),
        table.scores[at],
        table.questions[at],
        table.harness[at],
    )


def _places(index: Mapping[str, int], names: Sequence[str] | None) -> list[int]:
    """Indices of the names that exist, in the order of the table."""
    return list(range(len(index))) if names is None else sorted({index[name] for name in names if name in index})


def _several_suites(view: _View) -> Iterator[str]:
    if len(view.table.suites) > 1:
        yield f"several suites in one table: {_list(view.table.suites)}"


def _duplicates(view: _View) -> Iterator[str]:
    places = [
        f"{cell.arm} seed {cell.seed} {cell.benchmark}"
        for cell in view.table.duplicates
        if cell.arm in view.arms and cell.benchmark in view.benchmarks
    ]
    if places:
        yield f"duplicate scores: {_list(places)}"


def _several_domains(view: _View) -> Iterator[str]:
    places = [name for name in view.table.domain_conflicts if name in view.benchmarks]
    if places:
        yield f"benchmarks with more than one domain: {_list(places)}"


def _out_of_range(view: _View) -> Iterator[str]:
    outside = np.argwhere((view.scores < 0) | (view.scores > 100))
    places = [
        f"{view.arms[a]} seed {view.table.seeds[s]} {view.benchmarks[b]} = {view.scores[a, s, b]:g}"
        for a, s, b in outside
    ]
    if places:
        yield f"scores outside 0..100: {_list(places)}"


def _fractions(view: _View) -> Iterator[str]:
    """Arms, or single scores, that look like fractions among percent; no check if the unit was stated."""
    if view.table.percent_stated or not ((view.scores > 0) & (view.scores <= 1)).any():
        return
    tops = {
        arm: float(np.nanmax(block))
        for arm, block in zip(view.arms, view.scores, strict=True)
        if not np.isnan(block).all()
    }
    fractions = [arm for arm, top in tops.items() if 0 < top <= 1 and not _counts_in_percent(view, arm)]
    percents = [arm for arm, top in tops.items() if top > 1]
    if fractions and percents:
        yield f"scores look like fractions in {_list(fractions)} and like percent in {_list(percents)}"
    elif fractions:
        yield (
            f"every score is in 0..1 (the highest is {max(tops.values()):g}), so fractions and percent look alike: "
            "state the unit"
        )
    places = [
        f"{view.arms[a]} seed {view.table.seeds[s]} {view.benchmarks[b]} = {view.scores[a, s, b]:g}"
        for a, s, b in np.argwhere(_fraction_cells(view))
        if view.arms[a] not in fractions
    ]
    if places:
        yield f"scores look like fractions among percent: {_list(places)}"


def _fraction_cells(view: _View) -> NDArray[np.bool_]:
    """(arms, N, benchmarks): scores of at most 1 that times 100 would be similar to the benchmark's others."""
    small = (view.scores > 0) & (view.scores <= 1)
    large = (view.scores > 1) & np.isfinite(view.scores)
    usual = np.where(large, view.scores, 0).sum(axis=(0, 1)) / np.maximum(large.sum(axis=(0, 1)), 1)
    near = np.abs(100 * view.scores - usual) <= np.maximum(_NEAR, usual / 3)
    return np.asarray(small & near & (usual > _NEAR) & ~_whole_counts(view.scores, view.questions))


def _counts_in_percent(view: _View, arm: str) -> bool:
    """Whether every score of the arm is a whole number of questions in percent: then it is low, not a fraction."""
    at = view.arms.index(arm)
    present = ~np.isnan(view.scores[at])
    return bool(_whole_counts(view.scores[at][present], view.questions[at][present]).all())


def _whole_counts(scores: NDArray[np.float64], questions: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each score is a whole number of correct answers to its questions; false if these are not recorded."""
    right = np.where(np.isfinite(scores), scores, np.nan) * questions / 100
    return np.asarray((questions > 0) & (np.abs(right - np.round(right)) <= questions * _ROUNDING / 100))


def _mixed_harness(view: _View) -> Iterator[str]:
    places = [
        f"{name} ({_list([view.table.harnesses[code] or 'not recorded' for code in codes])})"
        for name, codes in _distinct(view, view.harness)
    ]
    if places:
        yield f"different harnesses on one benchmark: {_list(places)}"


def _unequal_questions(view: _View) -> Iterator[str]:
    places = [
        f"{name} ({_list([str(count) if count >= 0 else 'not recorded' for count in counts])})"
        for name, counts in _distinct(view, view.questions)
    ]
    if places:
        yield f"unequal question counts on one benchmark: {_list(places)}"


def _missing(view: _View) -> Iterator[str]:
    present = ~np.isnan(view.scores)
    begun = np.asarray(present.any(axis=2))
    places = [
        f"{view.arms[a]} seed {view.table.seeds[s]} {view.benchmarks[b]}"
        for a, s, b in np.argwhere(~present & begun[:, :, None])
    ]
    if places:
        yield f"missing scores (their seeds are left out): {_list(places)}"


def _empty_runs(view: _View) -> Iterator[str]:
    places = [
        f"{arm} seed {seed}" for arm in view.arms for seed in view.table.seeds if (arm, seed) in view.table.empty_runs
    ]
    if places:
        yield f"runs without any score (their seeds are left out): {_list(places)}"


def _seeds_differ(view: _View) -> Iterator[str]:
    present = np.asarray((~np.isnan(view.scores)).any(axis=2))
    for arm, own in zip(view.arms, present, strict=True):
        missing = [view.table.seeds[s] for s in np.flatnonzero(present.any(axis=0) & ~own)]
        absent = [str(seed) for seed in missing if (arm, seed) not in view.table.empty_runs]
        if absent:
            yield f"{arm} has no run of seed {_list(absent)}: only seeds that both arms have are paired"


def _identical(view: _View) -> Iterator[str]:
    for first in range(len(view.arms)):
        for second in range(first + 1, len(view.arms)):
            ours, theirs = view.scores[first], view.scores[second]
            both = ~(np.isnan(ours) | np.isnan(theirs))
            if both.any() and np.array_equal(ours[both], theirs[both]):
                yield (
                    f"{view.arms[first]} and {view.arms[second]} have identical scores in all {both.sum()} cells: "
                    "suspected identical runs"
                )


def _distinct(view: _View, values: NDArray[np.int64]) -> Iterator[tuple[str, list[int]]]:
    """Benchmarks whose scored cells have more than one value, with the values."""
    present = ~np.isnan(view.scores)
    low = np.where(present, values, np.iinfo(np.int64).max).min(axis=(0, 1), initial=np.iinfo(np.int64).max)
    high = np.where(present, values, np.iinfo(np.int64).min).max(axis=(0, 1), initial=np.iinfo(np.int64).min)
    for column in np.flatnonzero(low < high).tolist():
        found = np.unique(values[:, :, column][present[:, :, column]])
        yield view.benchmarks[column], found.tolist()


def _constant(view: _View) -> Iterator[str]:
    present = ~np.isnan(view.scores)
    low = np.where(present, view.scores, np.inf).min(axis=(0, 1), initial=np.inf)
    high = np.where(present, view.scores, -np.inf).max(axis=(0, 1), initial=-np.inf)
    same = np.flatnonzero((low == high) & (present.sum(axis=(0, 1)) >= _FEW))
    places = [f"{view.benchmarks[column]} ({low[column]:g})" for column in same.tolist()]
    if places:
        yield f"benchmarks with the same score in all runs, which cannot distinguish arms: {_list(places)}"


def _low_benchmarks(view: _View) -> Iterator[str]:
    """A benchmark in fractions would have a hundredth of the weight of the others, in all arms alike."""
    if view.table.percent_stated or not view.scores.size:
        return
    tops = np.where(np.isnan(view.scores), -np.inf, view.scores).max(axis=(0, 1), initial=-np.inf)
    if not (tops > 1).any():
        return
    counted = (_whole_counts(view.scores, view.questions) | np.isnan(view.scores)).all(axis=(0, 1))
    places = [view.benchmarks[column] for column in np.flatnonzero((tops > 0) & (tops <= 1) & ~counted).tolist()]
    if places:
        yield f"all scores in 0..1, while other benchmarks exceed 1 (are these fractions?): {_list(places)}"


def _few_seeds(view: _View) -> Iterator[str]:
    if len(view.arms) != 2:
        return
    pairs = int((~np.isnan(view.scores)).all(axis=(0, 2)).sum())
    names = " and ".join(view.arms)
    if pairs == 0:
        yield f"{names} have no complete seed in common, so nothing can be compared"
    elif pairs == 1:
        yield f"{names} have one complete seed in common: a difference, but no interval"
    elif pairs == 2:
        yield f"{names} have two complete seeds in common: an interval extends 12.7 standard errors to each side"


def _list(places: Sequence[str]) -> str:
    shown = ", ".join(places[:SHOWN])
    return shown if len(places) <= SHOWN else f"{shown} and {len(places) - SHOWN} more"


_Check = Callable[[_View], Iterator[str]]
_FAULTS: tuple[_Check, ...] = (
    _several_suites, _duplicates, _several_domains, _out_of_range, _fractions, _mixed_harness, _unequal_questions,
)  # fmt: skip
_NOTES: tuple[_Check, ...] = (_missing, _empty_runs, _seeds_differ, _few_seeds, _identical, _constant, _low_benchmarks)
