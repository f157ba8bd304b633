"""The report's section on dose arms: parameter value, measured dose and difference. No trend is tested."""

from tools.evaluation.material import ReportMaterial
from tools.plan.doses import DoseArms, dose_arms, dose_text
from tools.report.claims.doses import NOT_TESTED, comparison_of, measured_sentence
from tools.report.claims.facts import facts
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text


def dose_section(material: ReportMaterial) -> str:
    """Returns finished Markdown without a heading; empty where no policy has several strengths."""
    parts = []
    for found in dose_arms(material.plan):
        parts += [_table(material, found), text(measured_sentence(material, found))]
    return "\n\n".join([*parts, NOT_TESTED]) if parts else ""


def _table(material: ReportMaterial, found: DoseArms) -> str:
    one = facts(comparison_of(material, found.arms[0][1].id))
    columns: list[Column | str] = [
        text(f"{found.policy}.{found.parameter}"),
        "arm",
        "delivery",
        Column("measured dose", "right"),
        Column("n", "right"),
        Column(f"difference, {text(material.plan.analysis.primary)}", "right"),
        Column(one.level, "right"),
    ]
    return table(columns, [_row(comparison_of(material, arm.id), dose_text(value)) for value, arm in found.arms])


def _row(comparison: Comparison, value: str) -> list[str]:
    one, delivery = facts(comparison), comparison.delivery
    primary = one.primary if comparison.verdict != "invalid_data" else None
    return [
        text(value),
        text(comparison.treatment),
        delivery.status.replace("_", " "),
        numbers.fixed(delivery.dose, 3),
        str(one.n),
        numbers.signed(primary.mean) if primary else numbers.MISSING,
        numbers.interval(primary.low_family, primary.high_family) if primary else numbers.MISSING,
    ]
