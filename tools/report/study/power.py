"""The report's sections on power: what the plan could detect, what an answer would need, and what that costs."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from tools.evaluation.material import ReportMaterial
from tools.report.claims.power import (
    detectable_sentence,
    effect_points,
    family_cost_sentence,
    needed_equivalent_sentence,
    needed_supported_sentence,
    probability,
    seen_spread_sentence,
    spread_sentence,
    supported_sentence,
)
from tools.report.claims.study import measured_price
from tools.report.claims.titles import NAMES
from tools.statistics.power.model import PowerStatement
from tools.statistics.verdict_model import OverallVerdict
from tools.text import numbers
from tools.text.markdown import Column, table, text

_LIKELY: Sequence[OverallVerdict] = ("supported", "depends_on_summary", "negative_equivalent", "negative_inconclusive")
_SETTLED: Set[OverallVerdict] = frozenset({"supported", "negative_equivalent"})


class PowerView(NamedTuple):
    """Sentences and tables on what the plan could detect, and what a larger one would cost."""

    take: tuple[str, ...]
    """What an answer would need; empty where the verdict is settled."""
    could: tuple[str, ...]
    summaries: str
    verdicts: str


def power_view(material: ReportMaterial) -> PowerView | None:
    """Returns the section, filled from the stored statement; None where there is none."""
    power = material.power
    if power is None:
        return None
    price = measured_price(material)
    settled = {one.verdict for one in material.verdict.comparisons} <= _SETTLED
    take = () if settled else (needed_supported_sentence(power, price), needed_equivalent_sentence(power, price))
    sentences = (detectable_sentence, supported_sentence, family_cost_sentence, spread_sentence)
    said = [sentence(power) for sentence in sentences] + [seen_spread_sentence(power, material.verdict.comparisons)]
    could = [sentence for sentence in said if sentence]
    return PowerView(
        take=tuple(text(one) for one in take),
        could=tuple(text(one) for one in could),
        summaries=power_table(power),
        verdicts=verdict_table(power),
    )


def power_table(power: PowerStatement) -> str:
    """Returns one row per summary: spread, expected half-width, detectable difference, power, pairs needed."""
    columns: list[Column | str] = ["summary"]
    for name in ("SD", "expected half-width", "detectable, power 0.80", f"power at {numbers.short(power.sesoi)}"):
        columns.append(Column(name, "right"))
    columns.append(Column("pairs for power 0.80", "right"))
    rows = [
        [
            text(f"{name} (primary)" if name == power.primary else name),
            numbers.fixed(one.sd),
            numbers.fixed(one.half_width),
            numbers.MISSING if one.detectable_effect is None else effect_points(one.detectable_effect),
            probability(one.power),
            "over a million" if one.seeds_needed is None else f"{one.seeds_needed:,}",
        ]
        for name, one in power.summaries.items()
    ]
    return table(columns, rows)


def verdict_table(power: PowerStatement) -> str:
    """Returns how likely each verdict was before the runs; empty where it is not known."""
    zero, sesoi = power.verdicts_at_zero, power.verdicts_at_sesoi
    if zero is None or sesoi is None:
        return ""
    columns: list[Column | str] = [
        "verdict",
        Column("if the arms do not differ", "right"),
        Column(f"if every benchmark differs by {numbers.short(power.sesoi)}", "right"),
    ]
    rows = [[NAMES[key].plain, probability(zero.get(key, 0.0)), probability(sesoi.get(key, 0.0))] for key in _LIKELY]
    return table(columns, rows)
