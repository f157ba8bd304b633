"""Confidence levels: two one-sided tests (TOST), Bonferroni over a family, and Holm's adjusted p-values."""

from collections.abc import Mapping


def tost_confidence(confidence: float) -> float:
    """Returns 1 - 2 alpha, the confidence of the interval for two one-sided tests at level alpha (Schuirmann 1987).

    That interval is inside +- SESOI exactly if both one-sided tests reject. Verdicts use the wider family interval,
    which is conservative for equivalence; this one is reported beside it.
    """
    return 1.0 - 2.0 * (1.0 - confidence)


def family_confidence(confidence: float, comparisons: int) -> float:
    """Returns the Bonferroni level 1 - alpha / comparisons of each interval, so that all hold at `confidence`."""
    return 1.0 - (1.0 - confidence) / comparisons


def holm(p_values: Mapping[str, float | None], comparisons: int | None = None) -> dict[str, float | None]:
    """Returns Holm's step-down adjusted p-values by name.

    `comparisons` is the size of the family if it is larger than the number of p-values (the default); a p-value that
    could not be estimated counts in the family and stays None. Source: Holm (1979).
    """
    known = sorted((p, name) for name, p in p_values.items() if p is not None)
    size = max(comparisons or 0, len(p_values))
    adjusted: dict[str, float | None] = dict.fromkeys(p_values)
    running = 0.0
    for rank, (p, name) in enumerate(known):
        running = max(running, min(1.0, p * (size - rank)))
        adjusted[name] = running
    return adjusted
