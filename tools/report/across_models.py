"""What a report says of one treatment on several models: all tested models, or the ones named."""

from tools.report import numbers
from tools.report.markdown import Column, table, text
from tools.statistics.across_models import AcrossModels, ModelEffect

_READS = {
    "invalid_data": "invalid data",
    "treatment_not_delivered": "treatment not delivered",
    "not_estimable": "not estimable",
    "depends_on_summary": "depends on the summary",
    "negative_equivalent": "negative, equivalent",
    "negative_inconclusive": "negative, inconclusive",
}


def section(result: AcrossModels, noun: str = "model") -> str:
    """Markdown without a heading; noun: what one entry is, where more than the model tells entries apart."""
    if len(result.models) == 1:
        (name,) = result.models
        return f"One {noun} was tested ({text(name)}): nothing can be said across {noun}s."
    parts = [_all(result, noun), _some(result, noun), _table(result, noun), _range(result, noun), _method(result, noun)]
    return "\n\n".join(part for part in parts if part)


def _difference(result: AcrossModels) -> str:
    return f"{text(result.treatment)} - {text(result.control)}"


def _all(result: AcrossModels, noun: str) -> str:
    tested = numbers.every(len(result.models), f"tested {noun}")
    if result.holds_on_all:
        return (
            f"**{text(result.treatment)} is {result.holds_on_all} than {text(result.control)} on {tested}**, under "
            f"every benchmark summary of each. This says nothing of a {noun} that was not tested."
        )
    holding = {one.direction for one in result.models.values() if one.verdict == "supported"}
    if len(holding) == 2:
        return f"On {tested} no one claim holds: {noun}s support opposite directions."
    count = sum(one.verdict == "supported" for one in result.models.values())
    support = "supports" if count < 2 else "support"
    return (
        f"No claim holds on {tested}: {numbers.word(count) if count else 'none'} of the "
        f"{numbers.word(len(result.models))} {support} one under every benchmark summary."
    )


def _some(result: AcrossModels, noun: str) -> str:
    tested = f"{numbers.word(len(result.models))} tested {noun}s"
    level = numbers.percent(1 - result.confidence)
    lines = []
    for direction in ("better", "worse"):
        found = [text(name) for name, way in result.holds_on.items() if way == direction]
        if found:
            lines.append(f"{direction} on {numbers.listed(found)}")
    sentence = (
        f"Singled out among the {tested} (Holm, {level}), {text(result.treatment)} is {numbers.listed(lines)}."
        if lines
        else f"No {noun} can be singled out among the {tested} (Holm, {level})."
    )
    if result.alone and not result.holds_on_all:
        names = numbers.listed([text(name) for name in result.alone])
        sentence += f" {names} would support a claim if tested alone, and {_does(result)} not survive that."
    return sentence


def _does(result: AcrossModels) -> str:
    return "does" if len(result.alone) == 1 else "do"


def _table(result: AcrossModels, noun: str) -> str:
    columns: list[Column | str] = [
        noun,
        Column("n", "right"),
        "primary summary",
        Column(_difference(result), "right"),
        Column("family interval", "right"),
        Column("level", "right"),
        "reads as",
        Column("p, every summary", "right"),
        Column(f"Holm over {noun}s", "right"),
    ]
    rows = [
        [
            text(name),
            str(one.n),
            text(one.primary),
            numbers.signed(one.mean),
            numbers.interval(one.low_family, one.high_family),
            f"{numbers.percent(1 - (1 - result.confidence) / one.k)} (k = {one.k})",
            _reads(one),
            numbers.p_value(one.p),
            numbers.p_value(one.p_holm),
        ]
        for name, one in result.models.items()
    ]
    return table(columns, rows)


def _reads(one: ModelEffect) -> str:
    return f"supported, {one.direction}" if one.verdict == "supported" else _READS[one.verdict]


def _range(result: AcrossModels, noun: str) -> str:
    """No mean over models: the least and the most, where they are of one summary."""
    known = [(one.mean, name) for name, one in result.models.items() if one.mean is not None]
    primaries = {one.primary for one in result.models.values()}
    if len(known) < 2 or len(primaries) > 1:
        return ""
    (least, first), (most, last) = min(known), max(known)
    return (
        f"On {text(primaries.pop())} the mean difference ranges from {numbers.signed(least)} ({text(first)}) to "
        f"{numbers.signed(most)} ({text(last)}) points over {numbers.word(len(known))} {noun}s, chance included. The "
        f"{noun}s are not averaged: they are few, chosen, and differ in how much their runs vary."
    )


def _method(result: AcrossModels, noun: str) -> str:
    lines = (
        f'"All tested {noun}s" asks each to support the claim by itself, at its own family level, and needs no '
        "correction. p is that of the claim under every summary, the largest over summaries, times the treatments k "
        f"of that {noun}'s family; Holm corrects it for the {noun}s."
    )
    missing = [text(name) for name, one in result.models.items() if one.p is None]
    if missing:
        lines += f" {numbers.listed(missing)}: no such p, counted among the tested {noun}s all the same."
    if not result.same_summaries:
        lines += f" The {noun}s were judged under different sets of summaries: their claims are not the same claim."
    return lines
