"""The spread between runs of one arm on each benchmark, by a robust measure on which collapses have little effect.

Pooled median absolute deviation (MAD) from the arm's median. Few runs are close to their own median, so each deviation
is first scaled to its expectation in a large sample.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.book import ScoreCell
from tools.scores.columns import normal
from tools.scores.table import ScoreTable

_NORMAL = 0.6745
"""Median absolute deviation of the standard normal."""
_SMALL = {2: 0.4769, 4: 0.4862}


class RunSpread(StrictModel):
    """The spread between runs of one model and recipe, by benchmark."""

    mad: dict[str, float]
    """Benchmark -> median absolute deviation of a run from its arm's median, score points."""
    runs: dict[str, int]
    """Benchmark -> number of runs behind it, in arms of two or more."""
    of_model: tuple[str, ...] = ()
    """Benchmarks whose spread is that of the model under other recipes too: the recipe alone has too few runs."""


def run_spread(tables: Sequence[ScoreTable]) -> RunSpread:
    """Pools tables of the same model and recipe; a benchmark without an arm of two runs is absent.

    An infinite score, which makes a comparison invalid, is ignored.
    """
    pooled: dict[str, list[NDArray[np.float64]]] = {}
    runs: dict[str, int] = {}
    for table in tables:
        deviations, counts = _deviations(np.where(np.isfinite(table.scores), table.scores, np.nan))
        for column, name in enumerate(table.benchmarks):
            own = deviations[:, :, column]
            own = own[~np.isnan(own)]
            if len(own):
                pooled.setdefault(name, []).append(own)
                runs[name] = runs.get(name, 0) + int(counts[counts[:, column] > 1, column].sum())
    return RunSpread(mad={name: float(np.median(np.concatenate(parts))) for name, parts in pooled.items()}, runs=runs)


def widened(recipe: RunSpread, model: RunSpread, enough: int) -> RunSpread:
    """Returns the recipe's spread, or the model's over all its recipes if only that has `enough` runs."""
    taken = [name for name, runs in model.runs.items() if runs >= enough and recipe.runs.get(name, 0) < enough]
    return RunSpread(
        mad=recipe.mad | {name: model.mad[name] for name in taken},
        runs=recipe.runs | {name: model.runs[name] for name in taken},
        of_model=tuple(taken),
    )


def arm_medians(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the medians over the runs of each arm, (A, B), of scores (A, N, B); NaN without a run."""
    ordered = np.sort(scores, axis=1)  # NaN last
    counts = np.count_nonzero(~np.isnan(scores), axis=1)
    lower, upper = (
        np.take_along_axis(ordered, at[:, None, :], axis=1)[:, 0]
        for at in (np.maximum(counts - 1, 0) // 2, counts // 2)
    )
    return np.where(counts % 2 == 1, lower, (lower + upper) / 2)


def _deviations(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scaled |score - arm median| (A, N, B), NaN without a score, and the numbers of runs (A, B).

    With an odd number of runs one is the median itself: its deviation of zero is uninformative and is left out.
    """
    counts = np.count_nonzero(~np.isnan(scores), axis=1)
    deviations = np.sort(np.abs(scores - arm_medians(scores)[:, None, :]), axis=1)
    deviations[:, 0][counts % 2 == 1] = np.nan
    scales = np.array([_NORMAL / _expected(n) for n in range(scores.shape[1] + 1)])
    return deviations * scales[counts][:, None, :], counts


def _expected(n: int) -> float:
    """Median |deviation from the sample's median| of n standard normal values, without the median itself for odd n.

    Within 2 % of simulations of 2,000,000 values for n = 2 to 12; NaN for n < 2.
    """
    if n < 2:
        return float("nan")
    return _SMALL.get(n) or _NORMAL * (1 + 0.07 / n if n % 2 else 1 - 1.26 / n)


BATCHES = ("campaign", "experiment", "study")
"""Columns that separate batches of runs, not recipes."""
MODELS = ("model", "model_name", "base_model")
"""Columns that name the model."""


def spreads_of(cells: Sequence[ScoreCell]) -> dict[int, RunSpread]:
    """Returns id() of each cell's table -> spread.

    Cells of one recipe (equal in all known columns except the batch of runs) are pooled. If they have fewer than
    `ENOUGH_RUNS` runs, cells of one model are pooled over recipes, which is better than no estimate of its spread. A
    cell without a model column has only its recipe.
    """
    recipes, models = _pooled(cells, _recipe), _pooled([cell for cell in cells if _model(cell)], _model)
    return {
        id(cell.table): widened(recipes[_recipe(cell)], models[_model(cell)], ENOUGH_RUNS)
        if _model(cell)
        else recipes[_recipe(cell)]
        for cell in cells
    }


def _pooled(cells: Sequence[ScoreCell], key: Callable[[ScoreCell], Hashable]) -> dict[Hashable, RunSpread]:
    together: dict[Hashable, list[ScoreCell]] = {}
    for cell in cells:
        together.setdefault(key(cell), []).append(cell)
    return {name: run_spread([cell.table for cell in same]) for name, same in together.items()}


def _recipe(cell: ScoreCell) -> Hashable:
    return frozenset((name, value) for name, value in _known(cell).items() if normal(name) not in BATCHES)


def _model(cell: ScoreCell) -> Hashable:
    return frozenset((name, value) for name, value in _known(cell).items() if normal(name) in MODELS)


def _known(cell: ScoreCell) -> dict[str, Hashable]:
    return {**cell.group, **cell.about}


ENOUGH_RUNS = 12
