"""All claims that a finished study backs: what a report prints, and what a chat may choose from by id."""

from tools.report.claim import Claim
from tools.report.material import ReportMaterial
from tools.report.report_dose import dose_claims
from tools.report.wording import comparison_claims
from tools.report.wording_power import plan_claims
from tools.report.wording_spread import spread_claims
from tools.report.wording_study import measured_price, study_claims


def all_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Each comparison's claims in plan order, then the study's, then the plan's; ids are unique."""
    claims = [claim for one in material.verdict.comparisons for claim in comparison_claims(one)]
    claims += dose_claims(material)
    if material.spread is not None:
        claims += spread_claims(material)
    claims += study_claims(material)
    if material.power is not None:
        claims += plan_claims(material.power, measured_price(material))
    return tuple(map(_exploratory, claims) if material.exploratory else claims)


def _exploratory(claim: Claim) -> Claim:
    """A claim may stand alone, so it says itself that it confirms nothing; what was planned and done needs no word."""
    if claim.id.startswith(("plan.", "study.")):
        return claim
    return claim.model_copy(update={"text": f"Exploratory: {claim.text}"})
