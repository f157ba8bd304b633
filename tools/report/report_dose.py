"""What a report says of dose arms: parameter value, measured dose and difference side by side. No trend is tested."""

from collections.abc import Sequence
from itertools import pairwise

from tools.report import numbers
from tools.report.claim import Claim
from tools.report.facts import facts
from tools.report.markdown import Column, table, text
from tools.report.material import ReportMaterial
from tools.statistics.verdict_model import Comparison
from tools.study.dose import DoseArms, dose_arms, dose_text, is_number

NOT_TESTED = (
    "Whether scores follow the parameter is not tested: each value is compared with the control by itself, at the "
    "level of the family, and the comparisons share their control runs."
)


def dose_section(material: ReportMaterial) -> str:
    """Finished Markdown without a heading; empty where no policy has several strengths."""
    parts = []
    for found in dose_arms(material.plan):
        parts += [_table(material, found), text(measured_sentence(material, found))]
    return "\n\n".join([*parts, NOT_TESTED]) if parts else ""


def dose_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """One a policy; ids `dose.POLICY.PARAMETER`."""
    return tuple(
        Claim(id=f"dose.{found.policy}.{found.parameter}", text=f"{measured_sentence(material, found)} {NOT_TESTED}")
        for found in dose_arms(material.plan)
    )


def measured_sentence(material: ReportMaterial, found: DoseArms) -> str:
    """Whether the measured dose goes with the parameter."""
    what = f"the measured dose of {found.policy}"
    doses = [_comparison(material, arm.id).delivery.dose for _, arm in found.arms]
    known = [dose for dose in doses if dose is not None]
    if len(known) < len(doses):
        return f"{numbers.capital(what)} is not recorded at every value of {found.parameter}."
    told = ", ".join(
        f"{numbers.fixed(dose, 3)} at {dose_text(value)}" for dose, (value, _) in zip(known, found.arms, strict=True)
    )
    if not all(is_number(value) for value, _ in found.arms):
        return f"{numbers.capital(what)} by {found.parameter}: {told}."
    return f"With rising {found.parameter} {what} {_course(known)}: {told}."


def _course(doses: Sequence[float]) -> str:
    steps = [later - earlier for earlier, later in pairwise(doses)]
    if all(step > 0 for step in steps):
        return "rises"
    if all(step < 0 for step in steps):
        return "falls"
    return "stays the same" if all(step == 0 for step in steps) else "neither rises nor falls throughout"


def _table(material: ReportMaterial, found: DoseArms) -> str:
    one = facts(_comparison(material, found.arms[0][1].id))
    columns: list[Column | str] = [
        text(f"{found.policy}.{found.parameter}"),
        "arm",
        "delivery",
        Column("measured dose", "right"),
        Column("n", "right"),
        Column(f"difference, {text(material.plan.analysis.primary)}", "right"),
        Column(one.level, "right"),
    ]
    return table(columns, [_row(_comparison(material, arm.id), dose_text(value)) for value, arm in found.arms])


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


def _comparison(material: ReportMaterial, arm: str) -> Comparison:
    return next(one for one in material.verdict.comparisons if one.treatment == arm)
