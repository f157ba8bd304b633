"""The order in which comparisons stand wherever they stand together: worst first, however they came."""

from collections.abc import Iterable

from tools.statistics.score_analysis import Judged


def worst_first(comparisons: Iterable[Judged]) -> list[Judged]:
    """Sorted by the primary summary's lower family limit; those without an interval last, in the table's order."""
    return sorted(comparisons, key=_key)


def _key(judged: Judged) -> tuple[bool, float]:
    low = judged.comparison.summaries[judged.comparison.primary].low_family
    return low is None, 0.0 if low is None else low
