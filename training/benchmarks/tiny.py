"""The questions of the tiny suite, and what identifies them."""

import hashlib
import json
from typing import NamedTuple

from policies.errors import InputError
from training.benchmarks.catalog import benchmark
from training.data.tiny import SUITE, held_out


class Question(NamedTuple):
    """One held-out question."""

    id: str
    prompt: str
    """The user's turn; the model's chat template goes around it."""
    answer: str


def questions(benchmark_id: str) -> tuple[Question, ...]:
    """The questions of one benchmark of `tiny-12`, in their fixed order."""
    row = benchmark(SUITE, benchmark_id)
    return tuple(
        Question(f"{row.id}-{i:03d}", draft.prompt, draft.answer) for i, draft in enumerate(held_out()[row.id])
    )


def benchmark_sha256(suite: str, benchmark_id: str) -> str:
    """Identifies a benchmark's content: every id, prompt and answer in order, and the grader; 64 hex digits."""
    row = benchmark(suite, benchmark_id)
    if suite != SUITE:
        raise InputError(f"the questions of suite {suite!r} are not installed; the built-in suite is {SUITE}")
    content = json.dumps([row.grader, questions(benchmark_id)], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
