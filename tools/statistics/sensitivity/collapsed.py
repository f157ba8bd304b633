"""Collapsed cells: scores so far from their arm that something other than training seems to have happened.

Flags are determined before any verdict. Cells are given by index, so that the arms' names can be hidden (pass a table
with other names); nothing is dropped here: results with and without them are reported side by side.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import ScoreTable
from tools.statistics.sensitivity.run_spread import ENOUGH_RUNS, RunSpread, arm_medians
from tools.text.numbers import finite
from training.benchmarks.catalog import suites


class Guessing(NamedTuple):
    """The level of guessing on one benchmark."""

    score: float
    """Score points, 0..100."""
    questions: int | None = None
    """Number of questions, for tables that do not record it."""


FAR_Z = 5.0
FAR_POINTS = 10.0


UNPARSED = 0.10
_NOISE = 2.326
"""One-sided 99 % point of the normal: a score this many binomial standard errors below chance is not random error."""

Reason = Literal["far_from_arm", "below_chance", "unparsed"]


class CellIndex(NamedTuple):
    """A cell of a score table by position."""

    arm: int
    seed: int
    benchmark: int


class CollapsedCell(StrictModel):
    """One flagged cell."""

    cell: CellIndex
    score: float
    reference: float
    """The median of the arm's runs; if `against` is "cell", the median of the medians of all arms."""
    against: Literal["arm", "cell"]
    z: float | None
    """(score - reference) / scale; None if too few runs are known, or none differ."""
    chance: float | None
    unparsed: float | None
    """Share of answers that the grader could not read; None: not recorded."""
    reasons: tuple[Reason, ...]


class Collapsed(StrictModel):
    """The flagged cells of one table, and which rules could be applied."""

    cells: tuple[CollapsedCell, ...]
    scores: int
    """Number of scores checked."""
    runs: int
    """Number of runs behind the spread of the benchmark with the fewest."""
    far_rule: tuple[str, ...]
    """Benchmarks to which the distance rule could be applied: their spread is based on at least `ENOUGH_RUNS` runs."""
    of_model: tuple[str, ...] = ()
    """Those of them whose spread comes from all recipes of the model, since this one has too few runs."""
    chance_rule: tuple[str, ...]
    """Benchmarks whose level of guessing is known."""
    unparsed_known: int
    """Number of cells whose unparsed answers are recorded."""


class _Findings(NamedTuple):
    """One value per cell, (A, N, B)."""

    reference: NDArray[np.float64]
    against_cell: NDArray[np.bool_]
    z: NDArray[np.float64]
    unparsed: NDArray[np.float64]
    flags: dict[Reason, NDArray[np.bool_]]


def collapsed_cells(
    table: ScoreTable,
    spread: RunSpread,
    *,
    chance: Mapping[str, Guessing] | None = None,
    unparsed: Mapping[CellIndex, float] | None = None,
) -> Collapsed:
    """Flags cells of the table, independently of the names of arms.

    A cell is flagged if it is more than 5 scales and 10 points from its arm's median (scale: the larger of the
    benchmark's binomial standard error and `spread`, from at least 12 runs), below chance by more than its questions
    explain, or has over 10 % unparsed answers. If a run is that far *above* its arm's median, most runs of the arm may
    be collapsed: the arm is then compared with the median of all arms' medians, if that is higher.

    An infinite score, which makes a comparison invalid, counts as missing.

    chance: benchmark -> level of guessing. unparsed: cell -> share in 0..1 of the answers.
    """
    chance, unparsed = chance or {}, unparsed or {}
    table = replace(table, scores=np.where(np.isfinite(table.scores), table.scores, np.nan))
    enough = tuple(name for name in table.benchmarks if spread.runs.get(name, 0) >= ENOUGH_RUNS)
    mad = np.array([spread.mad[name] if name in enough else np.nan for name in table.benchmarks])
    found = _findings(table, mad, chance, unparsed)
    flagged = np.argwhere(np.any(list(found.flags.values()), axis=0))
    return Collapsed(
        cells=tuple(_cell(table, found, CellIndex(*at), chance) for at in flagged.tolist()),
        scores=int(np.count_nonzero(~np.isnan(table.scores))),
        runs=min((spread.runs.get(name, 0) for name in table.benchmarks), default=0),
        far_rule=enough,
        of_model=tuple(name for name in enough if name in spread.of_model),
        chance_rule=tuple(name for name in table.benchmarks if name in chance),
        unparsed_known=len(unparsed),
    )


def _findings(
    table: ScoreTable, mad: NDArray[np.float64], chance: Mapping[str, Guessing], unparsed: Mapping[CellIndex, float]
) -> _Findings:
    reference, against_cell, z = _distances(table, mad)
    unread = np.full(table.scores.shape, np.nan)
    for cell, share in unparsed.items():
        unread[cell] = share
    flags: dict[Reason, NDArray[np.bool_]] = {
        "far_from_arm": (np.abs(z) > FAR_Z) & (np.abs(table.scores - reference) > FAR_POINTS),
        "below_chance": _below(table, chance),
        "unparsed": (unread > UNPARSED) & ~np.isnan(table.scores),
    }
    return _Findings(reference, against_cell, z, unread, flags)


def _cell(table: ScoreTable, found: _Findings, at: CellIndex, chance: Mapping[str, Guessing]) -> CollapsedCell:
    level = chance.get(table.benchmarks[at.benchmark])
    return CollapsedCell(
        cell=at,
        score=float(table.scores[at]),
        reference=float(found.reference[at]),
        against="cell" if found.against_cell[at] else "arm",
        z=finite(found.z[at]),
        chance=level.score if level else None,
        unparsed=finite(found.unparsed[at]),
        reasons=tuple(reason for reason, holds in found.flags.items() if holds[at]),
    )


def without(table: ScoreTable, cells: Iterable[CellIndex]) -> ScoreTable:
    """Returns the table with these cells missing; everything else is unchanged."""
    scores, questions, harness = table.scores.copy(), table.questions.copy(), table.harness.copy()
    for cell in cells:
        scores[cell], questions[cell], harness[cell] = np.nan, -1, -1
    return replace(table, scores=scores, questions=questions, harness=harness)


def _distances(
    table: ScoreTable, mad: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """References, whether they come from the other arms, and z, (A, N, B) each; z is NaN if mad (B,) is."""
    medians = arm_medians(table.scores)[:, None, :]
    z = _z(table, medians, mad)
    above = ((z > FAR_Z) & (table.scores - medians > FAR_POINTS)).any(axis=1, keepdims=True)
    others = arm_medians(medians.swapaxes(0, 1))[:, None, :]
    against_cell = above & (others > medians)
    reference = np.where(against_cell, others, medians)
    shape = table.scores.shape
    return (
        np.broadcast_to(reference, shape), np.broadcast_to(against_cell, shape), _z(table, reference, mad)
    )  # fmt: skip


def _z(table: ScoreTable, reference: NDArray[np.float64], mad: NDArray[np.float64]) -> NDArray[np.float64]:
    """(A, N, B) distances in scales; infinite if a run differs from its reference although runs never differ."""
    expected = np.broadcast_to(reference, table.scores.shape)
    scale = np.maximum(mad, _binomial(expected, table.questions))
    residual = table.scores - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((residual == 0) & ~np.isnan(scale), 0.0, residual / scale)


def _below(table: ScoreTable, chance: Mapping[str, Guessing]) -> NDArray[np.bool_]:
    """(A, N, B) whether scores are below chance by more than random error; never if the question count is unknown."""
    below = np.zeros(table.scores.shape, dtype=np.bool_)
    for column, name in enumerate(table.benchmarks):
        if (level := chance.get(name)) is not None:
            own = table.questions[:, :, column]
            questions = np.where(own > 0, own, level.questions or 0)
            error = _binomial(np.full(own.shape, level.score), questions)
            below[:, :, column] = (questions > 0) & (table.scores[:, :, column] < level.score - _NOISE * error)
    return below


def _binomial(score: NDArray[np.float64], questions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standard error of a score in points, 0 if the number of questions is not recorded."""
    count = np.maximum(questions, 1)
    share = np.clip(score / 100, 0.5 / count, 1 - 0.5 / count)
    return np.where(questions > 0, 100 * np.sqrt(share * (1 - share) / count), 0.0)


PUBLISHED = {
    "gpqa_diamond": Guessing(25.0, 198),
    "mmlu_pro_chemistry": Guessing(10.0, 1132),
    "mmlu_pro_physics": Guessing(10.0, 1299),
}
"""GPQA: four options (Rein et al. 2023). MMLU-Pro: up to ten, so guessing scores 10 or more (Wang et al. 2024)."""


def guessing(table: ScoreTable) -> dict[str, Guessing]:
    """Returns the published levels of this table's benchmarks; none for built-in suites, which only share the names."""
    if any(suite in suites() for suite in table.suites):
        return {}
    return {name: PUBLISHED[name] for name in table.benchmarks if name in PUBLISHED}
