"""Several models side by side: which treatment did what on which, one table a control. Never a mean over models."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from tools.report import across_models, numbers
from tools.report.markdown import Column, table, text
from tools.report.section import Section
from tools.statistics.across_models import ModelEffect
from tools.statistics.models_of_table import Followed

_MOST_TOLD = 12
"""Treatments that get words of their own; the table and verdict.json hold all."""
_READS: Mapping[str, str] = {
    "invalid_data": "invalid data",
    "treatment_not_delivered": "not delivered",
    "not_estimable": "not estimable",
    "depends_on_summary": "depends on summary",
    "negative_equivalent": "equivalent",
    "negative_inconclusive": "inconclusive",
}


def across_sections(by: str, followed: Sequence[Followed]) -> Iterator[Section]:
    """Tables of values of `by` against treatments, then what holds for each treatment on all or on some of them."""
    if not followed:
        yield Section("", f"No treatment has the same control on two values of {text(by)}: there is nothing to follow.")
    tables = [
        _side_by_side(by, list(alike))
        for _, alike in groupby(followed, key=lambda one: (list(one.group.items()), one.across.control))
    ]
    if tables:
        yield Section("", "\n\n".join(tables))
    for one in followed[:_MOST_TOLD]:
        where = f", {_where(one)}" if one.group else ""
        heading = f"{one.across.treatment} against {one.across.control}{where}"
        yield Section(text(heading), across_models.section(one.across))
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
    reads = one.direction if one.verdict == "supported" else _READS[one.verdict]
    if one.mean is None:
        return f"{reads}, n = {one.n}"
    return f"{numbers.signed(one.mean)} {numbers.interval(one.low_family, one.high_family)}, n = {one.n}: {reads}"
