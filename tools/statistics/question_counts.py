"""How many questions each benchmark has: recorded in the table, else known of its suite, else unknown."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from policies.model import StrictModel
from tools.scores.table import ScoreTable
from training.benchmarks import catalog


class QuestionCount(StrictModel):
    """Of one benchmark."""

    questions: int | None
    source: Literal["table", "catalogue", "unknown"]


def question_counts(table: ScoreTable, arms: Sequence[str], benchmarks: Sequence[str]) -> dict[str, QuestionCount]:
    """The count that every score of these arms carries; where they carry none, that of the same benchmark in the
    table's suite if the catalogue has that suite. Counts that differ are no count. A name alone tells nothing: suites
    ask different numbers of questions under one name."""
    suite = table.suites[0] if len(table.suites) == 1 else ""
    listed = {one.id: one.questions for one in catalog.suite(suite)} if suite in catalog.suites() else {}
    rows = [table.arms.index(arm) for arm in arms if arm in table.arms]
    at = {name: column for column, name in enumerate(table.benchmarks)}
    counts = {}
    for name in benchmarks:
        recorded: list[int] = []
        if name in at:
            scored = ~np.isnan(table.scores[rows, :, at[name]])
            recorded = np.unique(table.questions[rows, :, at[name]][scored]).tolist()
        if len(recorded) == 1 and recorded[0] > 0:
            counts[name] = QuestionCount(questions=recorded[0], source="table")
        elif recorded == [-1] and name in listed:
            counts[name] = QuestionCount(questions=listed[name], source="catalogue")
        else:
            counts[name] = QuestionCount(questions=None, source="unknown")
    return counts
