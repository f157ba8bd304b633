"""The report's section on one treatment over several models: on all tested models, or on those named."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from tools.report.claims.titles import NAMES
from tools.statistics.table.across_models import AcrossModels, Followed, ModelEffect
from tools.text import numbers
from tools.text.markdown import Column, Section, table, text


def followed_section(result: AcrossModels, noun: str = "model") -> str:
    """Returns Markdown without a heading; noun: what one entry is, where not only the model separates entries."""
    if len(result.models) == 1:
        (name,) = result.models
        return f"Only one {noun} was tested ({text(name)}): no claim across {noun}s is possible."
    parts = [_all(result, noun), _some(result, noun), _table(result, noun), _range(result, noun), _method(result, noun)]
    return "\n\n".join(part for part in parts if part)


def _difference(result: AcrossModels) -> str:
    return f"{text(result.treatment)} - {text(result.control)}"


def _all(result: AcrossModels, noun: str) -> str:
    tested = numbers.every(len(result.models), f"tested {noun}")
    if result.holds_on_all:
        return (
            f"**{text(result.treatment)} is {result.holds_on_all} than {text(result.control)} on {tested}**, under "
            f"every benchmark summary of each. This is not evidence about a {noun} that was not tested."
        )
    holding = {one.direction for one in result.models.values() if one.verdict == "supported"}
    if len(holding) == 2:
        return f"No single claim holds on {tested}: {noun}s support opposite directions."
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
        sentence += f" {names} would support a claim if tested alone, but {_does(result)} not survive this correction."
    return sentence


def _does(result: AcrossModels) -> str:
    return "does" if len(result.alone) == 1 else "do"


def _table(result: AcrossModels, noun: str) -> str:
    columns: list[Column | str] = [
        noun, Column("n", "right"), "primary summary", Column(_difference(result), "right"),
        Column("family interval", "right"), Column("level", "right"), "reads as", Column("p, every summary", "right"),
        Column(f"Holm over {noun}s", "right"),
    ]  # fmt: skip
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
    return f"supported, {one.direction}" if one.verdict == "supported" else NAMES[one.verdict].plain


def _range(result: AcrossModels, noun: str) -> str:
    """Returns the range over models, never a mean, where all have the same primary summary."""
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
        f'"All tested {noun}s" requires each to support the claim separately, at its own family level, and needs no '
        "correction. p is that of the claim under every summary, the largest over summaries, times the number k of "
        f"treatments in that {noun}'s family; Holm corrects it for the {noun}s."
    )
    missing = [text(name) for name, one in result.models.items() if one.p is None]
    if missing:
        lines += f" {numbers.listed(missing)}: no such p, but counted among the tested {noun}s."
    if not result.same_summaries:
        lines += f" The {noun}s were judged under different sets of summaries: their claims are not the same claim."
    return lines


_MOST_TOLD = 12
"""Most treatments with a section; the table and verdict.json have all."""


def across_sections(by: str, followed: Sequence[Followed]) -> Iterator[Section]:
    """Yields tables of treatments by values of `by`, then what holds for each treatment on all or some values."""
    if not followed:
        yield Section("", f"No treatment has the same control on two values of {text(by)}, so none can be compared.")
    tables = [
        _side_by_side(by, list(alike))
        for _, alike in groupby(followed, key=lambda one: (list(one.group.items()), one.across.control))
    ]
    if tables:
        yield Section("", "\n\n".join(tables))
    for one in followed[:_MOST_TOLD]:
        where = f", {_where(one)}" if one.group else ""
        heading = f"{one.across.treatment} against {one.across.control}{where}"
        yield Section(text(heading), followed_section(one.across))
    if len(followed) > _MOST_TOLD:
        yield Section("", f"{numbers.capital(numbers.word(len(followed) - _MOST_TOLD))} more are in verdict.json.")


def _where(one: Followed) -> str:
    return ", ".join(str(value) for value in one.group.values())


def _side_by_side(by: str, alike: Sequence[Followed]) -> str:
    first = alike[0]
    values = tuple(dict.fromkeys(value for one in alike for value in one.across.models))
    where = f" ({text(_where(first))})" if first.group else ""
    columns: list[Column | str] = [text(by), *(Column(text(one.across.treatment), "right") for one in alike)]
    rows = [[text(value), *(_effect(one.across.models.get(value)) for one in alike)] for value in values]
    return (
        f"Treatment - {text(first.across.control)}{where} on the primary summary, with its family interval and n:\n\n"
        f"{table(columns, rows)}"
    )


def _effect(one: ModelEffect | None) -> str:
    if one is None:
        return "not compared"
    reads = one.direction if one.verdict == "supported" else NAMES[one.verdict].short
    if one.mean is None:
        return f"{reads}, n = {one.n}"
    return f"{numbers.signed(one.mean)} {numbers.interval(one.low_family, one.high_family)}, n = {one.n}: {reads}"
