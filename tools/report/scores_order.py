"""The order in which comparisons stand wherever they stand together, however they came."""

from collections.abc import Iterable

from tools.statistics.score_analysis import Judged

_FIRST = ("supported", "depends_on_summary", "invalid_data", "treatment_not_delivered", "not_estimable")


def worst_first(comparisons: Iterable[Judged]) -> list[Judged]:
    """Sorted by the primary summary's lower family limit; those without an interval last, in the table's order."""
    return sorted(comparisons, key=_low)


def most_telling(comparisons: Iterable[Judged]) -> list[Judged]:
    """Those that somebody might quote first: claims, faults, then by summaries that exclude zero by themselves."""
    return sorted(comparisons, key=lambda one: (*_claim(one), *_low(one)))


def _low(judged: Judged) -> tuple[bool, float]:
    low = judged.comparison.summaries[judged.comparison.primary].low_family
    return low is None, 0.0 if low is None else low


def _claim(judged: Judged) -> tuple[int, int]:
    one = judged.comparison
    place = _FIRST.index(one.verdict) if one.verdict in _FIRST else len(_FIRST)
    return place, -len(one.exclusions_unadjusted)
