"""The rule for suggestions: the known names that a mistyped name may stand for."""

from collections.abc import Iterable
from difflib import get_close_matches

CUTOFF = 0.5
"""Minimum similarity (difflib's ratio) for a suggestion."""
_MOST_COMPARED = 100
"""Number of characters compared; difflib's time grows with the square of the length."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Returns at most `count` of the known names, the most similar first; ignores case and `-` against `_`."""
    by_form: dict[str, list[str]] = {}
    for one in known:
        by_form.setdefault(_form(one), []).append(one)
    found = get_close_matches(_form(name), by_form, n=count, cutoff=CUTOFF)
    return tuple(one for form in found for one in by_form[form])[:count]


def _form(name: str) -> str:
    return name.strip().lower().replace("-", "_")[:_MOST_COMPARED]


def nearest_or_all(name: str, known: Iterable[str]) -> str:
    """Lists names for an error about an unknown name: the nearest ones, or all if none is near."""
    names = tuple(known)
    return ", ".join(nearest(name, names) or names)
