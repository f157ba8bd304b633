"""Several treatments against one control: the Bonferroni level that verdicts read, and Holm p-values for display."""

from collections.abc import Mapping


def family_confidence(confidence: float, comparisons: int) -> float:
    """Bonferroni: 1 - alpha / comparisons for each interval, so that all hold together at `confidence`."""
    return 1.0 - (1.0 - confidence) / comparisons


def holm(p_values: Mapping[str, float | None], comparisons: int | None = None) -> dict[str, float | None]:
    """Holm's step-down adjusted p-values, by name.

    `comparisons` is the size of the family when it is larger than the p-values at hand (default: their number);
    a p-value that could not be estimated counts in the family, and stays None. Source: Holm (1979).
    """
    known = sorted((p, name) for name, p in p_values.items() if p is not None)
    size = max(comparisons or 0, len(p_values))
    adjusted: dict[str, float | None] = dict.fromkeys(p_values)
    running = 0.0
    for rank, (p, name) in enumerate(known):
        running = max(running, min(1.0, p * (size - rank)))
        adjusted[name] = running
    return adjusted
