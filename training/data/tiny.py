"""The built-in training pool and the held-out questions of the tiny suite.

Both come from the same generators (`tiny_math`, `tiny_logic`, `tiny_science`). The held-out questions are drawn first,
with a fixed seed; the pool excludes all of them, whichever benchmark they were drawn for. `random.Random` seeded with a
string gives the same draws in every process, whatever PYTHONHASHSEED is.
"""

import random
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from training.benchmarks.catalog import DOMAINS, suite
from training.data import tiny_logic, tiny_math, tiny_science
from training.data.tiny_task import Draft, Task

SUITE = "tiny-12"
HELD_OUT_SEED = 2024
POOL_PER_DOMAIN = 1280
TASKS: Mapping[str, Task] = MappingProxyType(
    {task.benchmark: task for task in (*tiny_math.TASKS, *tiny_logic.TASKS, *tiny_science.TASKS)}
)
"""Benchmark id -> task."""


class PoolRow(NamedTuple):
    """One training prompt with its verifiable answer."""

    prompt: str
    answer: str
    domain: str
    benchmark: str


def _new_drafts(task: Task, count: int, taken: set[str]) -> tuple[Draft, ...]:
    draw = random.Random(f"{task.benchmark}|{HELD_OUT_SEED}")  # noqa: S311 - reproducible draws, not secrets
    drafts: list[Draft] = []
    for _ in range(200 * count):
        draft = task.make(draw)
        if draft.prompt not in taken:
            taken.add(draft.prompt)
            drafts.append(draft)
        if len(drafts) == count:
            return tuple(drafts)
    raise ValueError(f"{task.benchmark} makes only {len(drafts)} different questions, {count} are needed")


@cache
def held_out() -> Mapping[str, tuple[Draft, ...]]:
    """Returns benchmark id -> its questions; no prompt occurs twice."""
    taken: set[str] = set()
    return MappingProxyType({row.id: _new_drafts(TASKS[row.id], row.questions, taken) for row in suite(SUITE)})


@cache
def held_out_prompts() -> frozenset[str]:
    """Returns the held-out prompts of all benchmarks."""
    return frozenset(draft.prompt for drafts in held_out().values() for draft in drafts)


@cache
def training_pool() -> tuple[PoolRow, ...]:
    """Returns the shuffled pool: `POOL_PER_DOMAIN` rows per domain, evenly over its tasks, none of them held out.

    Prompts may repeat within the pool, as in any sampled data set.
    """
    draw = random.Random("train-pool")  # noqa: S311
    rows: list[PoolRow] = []
    for domain in DOMAINS:
        names = [row.id for row in suite(SUITE) if row.domain == domain]
        count = 0
        while count < POOL_PER_DOMAIN:
            name = names[count % len(names)]
            draft = TASKS[name].make(draw)
            if draft.prompt not in held_out_prompts():
                rows.append(PoolRow(draft.prompt, draft.answer, domain, name))
                count += 1
    draw.shuffle(rows)
    return tuple(rows)
