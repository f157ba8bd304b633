"""The questions of the tiny suite, and their hashes."""

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
    """The user's turn, without the model's chat template."""
    answer: str


def questions(benchmark_id: str) -> tuple[Question, ...]:
    """Returns the questions of one benchmark of `tiny-12` in their fixed order."""
    row = benchmark(SUITE, benchmark_id)
    return tuple(
        Question(f"{row.id}-{i:03d}", draft.prompt, draft.answer) for i, draft in enumerate(held_out()[row.id])
    )


def benchmark_sha256(suite: str, benchmark_id: str) -> str:
    """Returns a hash of a benchmark's content: ids, prompts and answers in order, and the grader; 64 hex digits."""
    row = benchmark(suite, benchmark_id)
    if suite != SUITE:
        raise InputError(f"the questions of suite {suite!r} are not installed; the built-in suite is {SUITE}")
    content = json.dumps([row.grader, questions(benchmark_id)], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
