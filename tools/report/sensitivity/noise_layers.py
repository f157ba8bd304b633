"""The report's section on the two layers of noise: between seeds, and from finite benchmarks."""

from tools.report.claims.facts import facts
from tools.statistics.sensitivity.noise_layers import NoiseLayer, NoiseLayers
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text

_NAMED = 12
"""At most this many benchmarks are named one by one."""
_SOURCES = {"table": "", "catalogue": " (catalogue)", "unknown": ""}


def section(result: NoiseLayers, comparison: Comparison) -> str:
    """Returns the two layers of noise of one comparison as Markdown without a heading."""
    one = facts(comparison)
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, so their noise is not decomposed."
    if result.n < 2:
        return f"{one.pairs}: a spread between seeds needs at least two complete pairs."
    parts = [_lead(result), _table(result), _reading(result), _unknown(result)]
    return "\n\n".join(part for part in parts if part)


def _lead(result: NoiseLayers) -> str:
    return (
        f"The claim is about seeds, so every interval above uses the SD between seeds (n = {result.n} paired "
        "differences; 95 % limits assume normal differences). The binomial error beside it is a diagnostic: the most "
        "that sampling answers to a benchmark's questions contributes to one difference, since both arms answer the "
        "same questions. It is part of the SD between seeds and is not added to it."
    )


def _table(result: NoiseLayers) -> str:
    columns: list[Column | str] = [
        "summary or benchmark",
        Column("n", "right"),
        Column("SD between seeds", "right"),
        Column("95 % limits", "right"),
        Column("questions", "right"),
        Column("binomial error, at most", "right"),
        Column("share of the variance, at most about", "right"),
    ]
    rows = [
        [
            f"**{text(name)}**" if layer.kind == "summary" else text(name),
            str(result.n),
            numbers.fixed(layer.sd),
            numbers.interval(layer.low_sd, layer.high_sd),
            f"{layer.questions:,}{_SOURCES[layer.source]}" if layer.questions else numbers.MISSING,
            numbers.fixed(layer.binomial_se),
            _share(layer),
        ]
        for name, layer in result.layers.items()
    ]
    return table(columns, rows)


def _share(layer: NoiseLayer) -> str:
    if layer.share is None:
        return numbers.MISSING
    return "all" if layer.share >= 1 else f"{numbers.fixed(100 * layer.share, 0)} %"


def _reading(result: NoiseLayers) -> str:
    within = [
        name
        for name, layer in result.layers.items()
        if layer.kind == "benchmark" and layer.share is not None and layer.share >= 1
    ]
    judged = sum(layer.kind == "benchmark" and layer.share is not None for layer in result.layers.values())
    if not judged:
        return ""
    if not within:
        return (
            f"On none of {numbers.counted(judged, 'benchmark')} could sampling answers alone explain the observed "
            f"spread between seeds (n = {result.n})."
        )
    count = (
        f"On {numbers.every(judged, 'benchmark')}"
        if len(within) == judged
        else f"On {numbers.word(len(within))} of {numbers.counted(judged, 'benchmark')} ({_named(within)})"
    )
    return (
        f"{count} sampling answers alone could explain all of the observed spread between seeds: there, more "
        "questions, or several answers per question, may gain more precision than more seeds. With n = "
        f"{result.n} the SD is known only within its limits."
    )


def _unknown(result: NoiseLayers) -> str:
    names = [name for name, layer in result.layers.items() if layer.kind == "benchmark" and layer.source == "unknown"]
    total = sum(layer.kind == "benchmark" for layer in result.layers.values())
    if not names:
        return ""
    if len(names) == total:
        return (
            "The table records no question counts that both arms share, and its suite is not in the catalogue: no "
            "binomial error can be computed."
        )
    return f"No question count is known for {_named(names)}: no binomial error there, or in summaries with them."


def _named(names: list[str]) -> str:
    shown = [text(name) for name in names[:_NAMED]]
    return numbers.listed(shown) if len(names) <= _NAMED else f"{', '.join(shown)} and {len(names) - _NAMED} more"
