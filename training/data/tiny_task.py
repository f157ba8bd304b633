"""The shape of a tiny task: a generator of questions that also knows one systematic mistake."""

import random
from collections.abc import Callable
from typing import NamedTuple


class Draft(NamedTuple):
    """One generated question, all text in the alphabet of the tiny tokenizer."""

    prompt: str
    answer: str
    mistake: str
    """What somebody with this task's bad habit would answer; never equal to `answer`."""


class Task(NamedTuple):
    """One benchmark's generator; the training pool and the held-out questions both come from it."""

    benchmark: str
    make: Callable[[random.Random], Draft]
    mistake_share: float
    """Share of the habit phase's demonstrations that show the mistake (`training.data.tiny_warm_start`)."""
    practice: int = 1
    """How often, relative to the others, the skill phase draws it: the harder tasks need more."""
