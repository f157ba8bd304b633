"""The report's section on weightings of the benchmarks."""

from tools.statistics.sensitivity.weightings import NamedWeighting, Weightings, WeightingShares
from tools.text import numbers
from tools.text.markdown import Column, table, text

_NAMED = 6
"""At most this many benchmarks of a weighting are named, the heaviest first."""


def section(result: Weightings, treatment: str, kind: str = "interval") -> str:
    """Markdown without a heading; `treatment` is the name that sentences use, `kind` what they call an interval."""
    if result.n < 2:
        return f"n = {result.n}: no weighting of the benchmarks has an interval below two complete seed pairs."
    if result.benchmarks == 1:
        return "There is one benchmark, so there is nothing to weigh."
    if not result.shares:
        return f"The plan spends no error at n = {result.n}, so no weighting of the benchmarks has an interval."
    basis = f"unadjusted {numbers.percent(result.confidence)} {kind}, n = {result.n} seed pairs"
    parts = [
        _lead(result, basis), _table(result, text(treatment)), _reading(result), _least(result, basis),
        _most(result, text(treatment), basis),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _lead(result: Weightings, basis: str) -> str:
    return (
        f"How much the result depends on the choice of benchmarks: how often the {basis}, excludes zero when the "
        f"{numbers.word(result.benchmarks)} benchmarks are weighed in other ways than the summaries do."
    )


def _table(result: Weightings, treatment: str) -> str:
    columns: list[Column | str] = [
        "weightings",
        Column("how many", "right"),
        Column(f"above zero (for {treatment})", "right"),
        Column(f"below zero (against {treatment})", "right"),
    ]
    rows = [
        [_kind(one, result), f"{one.weightings:,}{' (all)' if one.exact else ''}", _share(one.above), _share(one.below)]
        for one in result.shares
    ]
    return table(columns, rows)


def _kind(one: WeightingShares, result: Weightings) -> str:
    if one.kind == "domains":
        return "random weights on the domains, equal within each"
    if one.kind == "subsets":
        return "equal weights on a subset of the benchmarks" + ("" if one.exact else ", drawn at random")
    return f"random weights on the {numbers.word(result.benchmarks)} benchmarks"


def _share(share: float) -> str:
    """Formats a share; never rounds to 0 % or 100 % where it is neither."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    return "over 99.9 %" if 0.999 < share < 1 else numbers.percent(share)


def _reading(result: Weightings) -> str:
    near_flat = "rows on random weights over single benchmarks" + (
        "" if any(one.exact for one in result.shares) else " and on drawn subsets"
    )
    sentences = [
        "These are shares of weightings, not probabilities or error rates: all weightings use the same seed pairs, and "
        "many of them are similar.",
        f"The {near_flat} stay near the flat average, because many random weights even out.",
    ]
    if result.without_domains:
        sentences.append(f"Weights on domains are left out: {result.without_domains}.")
    stuck = max((one.not_estimable for one in result.shares), default=0.0)
    if stuck > 0:
        sentences.append(
            f"Up to {_share(stuck)} of a row's weightings have no interval, since their differences are equal in all "
            "seeds; they are counted on neither side."
        )
    return " ".join(sentences)


def _least(result: Weightings, basis: str) -> str:
    one = result.least_favourable
    if one is None:
        return ""
    name = text(next(iter(one.weights)))
    shown = (
        f"{numbers.signed(one.mean)} points {numbers.interval(one.low, one.high)} ({basis})"
        if one.low is not None
        else f"{numbers.signed(one.mean)} points in every seed, without an interval (n = {result.n} seed pairs)"
    )
    return (
        f"The least favourable weighting is {name} alone: {shown}. The lower limit is concave in the weights, so no "
        "mixture of benchmarks goes lower than the lowest single one."
    )


def _most(result: Weightings, treatment: str, basis: str) -> str:
    best, worst = result.most_favourable, result.most_adverse
    if best is None or worst is None:
        return ""
    pairs = f"n = {result.n} seed pairs"
    sentences = [f"**Chosen after the fact**, so that no claim can rest on it: {_told(best, 'for', treatment, basis)}."]
    sentences.append(f"{numbers.capital(_told(worst, 'against', treatment, basis))}.")
    if (best.mean if best.low is None else best.low) <= 0:
        sentences.append("No weighting at all puts the interval above zero.")
    if (worst.mean if worst.high is None else worst.high) >= 0:
        sentences.append("No weighting at all puts the interval below zero.")
    if best.low is None or worst.low is None:
        sentences.append(
            f"With {pairs} and {numbers.word(result.benchmarks)} benchmarks, weights can be picked under which all "
            "differences agree; their interval has no width because they were picked, which is not evidence."
        )
    return " ".join(sentences)


def _told(one: NamedWeighting, side: str, treatment: str, basis: str) -> str:
    lead = f"the weights most {'favourable to' if side == 'for' else 'against'} {treatment} are {_weights(one)}"
    if one.low is None:
        return f"{lead}, with {numbers.signed(one.mean)} points in every seed"
    return f"{lead}, with {numbers.signed(one.mean)} points {numbers.interval(one.low, one.high)} ({basis})"


def _weights(one: NamedWeighting) -> str:
    ordered = sorted(one.weights.items(), key=lambda item: -item[1])
    shown = [f"{text(name)} {numbers.percent(weight, 0)}" for name, weight in ordered[:_NAMED]]
    more = len(ordered) - _NAMED
    return numbers.listed(shown if more <= 0 else [*shown, f"{more} more"])
