"""Sentences about dose arms: how the measured dose changes with the parameter. No trend is tested."""

from collections.abc import Sequence
from itertools import pairwise

from tools.evaluation.material import ReportMaterial
from tools.plan.doses import DoseArms, dose_arms, dose_text, is_number
from tools.report.claims.facts import Claim
from tools.statistics.verdict_model import Comparison
from tools.text import numbers

NOT_TESTED = (
    "No trend of scores with the parameter is tested: each value is compared with the control separately, at the "
    "family-wise level, and the comparisons share their control runs."
)


def dose_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Returns one claim for each policy with several strengths; ids `dose.POLICY.PARAMETER`."""
    return tuple(
        Claim(id=f"dose.{found.policy}.{found.parameter}", text=f"{measured_sentence(material, found)} {NOT_TESTED}")
        for found in dose_arms(material.plan)
    )


def measured_sentence(material: ReportMaterial, found: DoseArms) -> str:
    """Returns how the measured dose changes with the parameter."""
    what = f"the measured dose of {found.policy}"
    doses = [comparison_of(material, arm.id).delivery.dose for _, arm in found.arms]
    known = [dose for dose in doses if dose is not None]
    if len(known) < len(doses):
        return f"{numbers.capital(what)} is not recorded at every value of {found.parameter}."
    listed = ", ".join(
        f"{numbers.fixed(dose, 3)} at {dose_text(value)}" for dose, (value, _) in zip(known, found.arms, strict=True)
    )
    if not all(is_number(value) for value, _ in found.arms):
        return f"{numbers.capital(what)} by {found.parameter}: {listed}."
    return f"With increasing {found.parameter}, {what} {_course(known)}: {listed}."


def _course(doses: Sequence[float]) -> str:
    steps = [later - earlier for earlier, later in pairwise(doses)]
    if all(step > 0 for step in steps):
        return "increases"
    if all(step < 0 for step in steps):
        return "decreases"
    return "stays the same" if all(step == 0 for step in steps) else "neither increases nor decreases throughout"


def comparison_of(material: ReportMaterial, arm: str) -> Comparison:
    """Returns the comparison of one treatment arm with the control."""
    return next(one for one in material.verdict.comparisons if one.treatment == arm)
