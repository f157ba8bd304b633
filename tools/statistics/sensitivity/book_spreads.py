"""How much runs vary in each cell of a book: from the runs of its recipe, or of its model where these are few."""

from collections.abc import Callable, Hashable, Sequence

from tools.scores.book import ScoreCell
from tools.scores.columns import normal
from tools.statistics.sensitivity.collapsed import ENOUGH_RUNS
from tools.statistics.sensitivity.run_spread import RunSpread, run_spread, widened

BATCHES = ("campaign", "experiment", "study")
"""Columns that tell batches of runs apart, not recipes."""
MODELS = ("model", "model_name", "base_model")
"""Columns that name the model."""


def spreads_of(cells: Sequence[ScoreCell]) -> dict[int, RunSpread]:
    """By the identity of each cell's table.

    Cells of one recipe (whatever is known of them but the batch of runs is alike) are pooled. Where they have fewer
    than `ENOUGH_RUNS` runs, cells of one model are, whatever their recipe: how much its runs vary is known better from
    these than not at all. A cell without a model column has its recipe only.
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
