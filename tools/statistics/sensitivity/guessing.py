"""What guessing scores on multiple-choice benchmarks, where that is published."""

from typing import NamedTuple

from tools.scores.table import ScoreTable
from training.benchmarks.catalog import suites


class Guessing(NamedTuple):
    """Of one benchmark."""

    score: float
    """Score points, 0..100."""
    questions: int | None = None
    """On how many questions, for tables that do not record it."""


PUBLISHED = {
    "gpqa_diamond": Guessing(25.0, 198),
    "mmlu_pro_chemistry": Guessing(10.0, 1132),
    "mmlu_pro_physics": Guessing(10.0, 1299),
}
"""GPQA: four options (Rein et al. 2023). MMLU-Pro: up to ten, so guessing scores 10 or more (Wang et al. 2024)."""


def guessing(table: ScoreTable) -> dict[str, Guessing]:
    """The published levels of this table's benchmarks; none for the built-in suites, which only share their names."""
    if any(suite in suites() for suite in table.suites):
        return {}
    return {name: PUBLISHED[name] for name in table.benchmarks if name in PUBLISHED}
