"""When a study may stop: the sequential part of a plan, from what was asked."""

from policies.errors import InputError
from tools.statistics.sequential.model import SequentialDesign
from tools.study.intent import StudyIntent

FIRST_LOOK = 5
"""Seeds before the first look where none are named."""
LEAST_LOOKED_AT = 3


def sequential_design(intent: StudyIntent, most: int, notes: list[str]) -> SequentialDesign | None:
    """The design of a plan with `most` seeds, None where it is fixed; what was filled in is noted.

    Raises InputError where there is no room for a look before the last seed, and for a first look that is not wanted.
    """
    if not intent.sequential:
        if intent.min_seeds is not None:
            raise InputError(
                f"{intent.min_seeds} seeds before the first look belong to a sequential study; add --sequential, or "
                "leave them out"
            )
        return None
    first = FIRST_LOOK if intent.min_seeds is None else intent.min_seeds
    if first < LEAST_LOOKED_AT:
        raise InputError(f"a first look at {first} seeds sees too little; look at {LEAST_LOOKED_AT} or more")
    if first >= most:
        raise InputError(
            f"a sequential study that first looks at {first} seeds needs more seeds than its {most}: give more, look "
            "earlier (--min-seeds), or leave out --sequential"
        )
    if intent.min_seeds is None:
        notes.append(f"first look: after {first} seeds (default)")
    return SequentialDesign(n_min=first, n_max=most)
