"""The interface of a tiny task: a generator of questions with one systematic mistake."""

import random
from collections.abc import Callable
from typing import NamedTuple


class Draft(NamedTuple):
    """One generated question; all text is in the alphabet of the tiny tokenizer."""

    prompt: str
    answer: str
    mistake: str
    """The answer of a model with this task's bad habit; never equal to `answer`."""


class Task(NamedTuple):
    """One benchmark's generator; the training pool and the held-out questions both come from it."""

    benchmark: str
    make: Callable[[random.Random], Draft]
    mistake_share: float
    """Share of the habit phase's demonstrations with the mistake (`training.data.tiny_warm_start`)."""
    practice: int = 1
    """Relative frequency in the skill phase: the harder tasks need more."""
