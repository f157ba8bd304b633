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


def section(result: AcrossModels) -> str:
    """Markdown without a heading."""
    if len(result.models) == 1:
        (name,) = result.models
        return f"One model was tested ({text(name)}): nothing can be said across models."
    parts = [_all(result), _some(result), _table(result), _range(result), _method(result)]
    return "\n\n".join(part for part in parts if part)


def _difference(result: AcrossModels) -> str:
    return f"{text(result.treatment)} - {text(result.control)}"


def _all(result: AcrossModels) -> str:
    tested = numbers.every(len(result.models), "tested model")
    if result.holds_on_all:
        return (
            f"**{text(result.treatment)} is {result.holds_on_all} than {text(result.control)} on {tested}**, under "
            "every benchmark summary of each. This says nothing of a model that was not tested."
        )
    holding = {one.direction for one in result.models.values() if one.verdict == "supported"}
    if len(holding) == 2:
        return f"On {tested} no one claim holds: models support opposite directions."
    count = sum(one.verdict == "supported" for one in result.models.values())
    support = "supports" if count < 2 else "support"
    return (
        f"No claim holds on {tested}: {numbers.word(count) if count else 'none'} of the "
        f"{numbers.word(len(result.models))} {support} one under every benchmark summary."
    )


def _some(result: AcrossModels) -> str:
    tested = f"{numbers.word(len(result.models))} tested models"
    level = numbers.percent(1 - result.confidence)
    lines = []
    for direction in ("better", "worse"):
        found = [text(name) for name, way in result.holds_on.items() if way == direction]
        if found:
            lines.append(f"{direction} on {numbers.listed(found)}")
    sentence = (
        f"Singled out among the {tested} (Holm, {level}), {text(result.treatment)} is {numbers.listed(lines)}."
        if lines
        else f"No model can be singled out among the {tested} (Holm, {level})."
    )
    if result.alone and not result.holds_on_all:
        names = numbers.listed([text(name) for name in result.alone])
        sentence += f" {names} would support a claim if tested alone, and {_does(result)} not survive that."
    return sentence


def _does(result: AcrossModels) -> str:
    return "does" if len(result.alone) == 1 else "do"


def _table(result: AcrossModels) -> str:
    columns: list[Column | str] = [
        "model",
        Column("n", "right"),
        "primary summary",
        Column(_difference(result), "right"),
        Column("family interval", "right"),
        Column("level", "right"),
        "reads as",
        Column("p, every summary", "right"),
        Column("Holm over models", "right"),
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


def _range(result: AcrossModels) -> str:
    """No mean over models: the least and the most, where they are of one summary."""
    known = [(one.mean, name) for name, one in result.models.items() if one.mean is not None]
    primaries = {one.primary for one in result.models.values()}
    if len(known) < 2 or len(primaries) > 1:
        return ""
    (least, first), (most, last) = min(known), max(known)
    return (
        f"On {text(primaries.pop())} the mean difference ranges from {numbers.signed(least)} ({text(first)}) to "
        f"{numbers.signed(most)} ({text(last)}) points over {numbers.word(len(known))} models, chance included. The "
        "models are not averaged: they are few, chosen, and differ in how much their runs vary."
    )


def _method(result: AcrossModels) -> str:
    lines = (
        '"All tested models" asks every model to support the claim by itself, each at its own family level, and needs '
        "no correction. p is that of the claim under every summary, the largest over summaries, times the treatments k "
        "of that model's family; Holm corrects it for the models."
    )
    missing = [text(name) for name, one in result.models.items() if one.p is None]
    if missing:
        lines += f" {numbers.listed(missing)}: no such p, counted among the tested models all the same."
    if not result.same_summaries:
        lines += " The models were judged under different sets of summaries: their claims are not the same claim."
    return lines
