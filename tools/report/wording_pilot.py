"""What a pilot's report says beside its spread: that it compares nothing, whether policies acted, how to go on."""

from tools.report import numbers
from tools.report.material import ReportMaterial
from tools.study.delivery_model import ArmDelivery

LEAD = (
    "No verdict: a pilot finds how far differences vary. Its scores by arm stay hidden, and its seeds never enter the "
    "comparison that it is for."
)


def pilot_title(material: ReportMaterial) -> str:
    """The spread and its n, or why there is none."""
    plan, pilot = material.plan, material.spread.pilot if material.spread else None
    versus = f"{numbers.listed([arm.id for arm in plan.treatments])} against {plan.control.id}"
    if pilot is None:
        return f"Pilot for {versus}: no spread could be estimated; no policy is compared"
    primary = plan.analysis.primary
    sd = numbers.fixed(pilot.summaries[primary].sd)
    return (
        f"Pilot for {versus}: differences vary with SD {sd} points on {primary} (n = {pilot.seeds} seeds); no policy "
        "is compared"
    )


def pilot_use_sentence(material: ReportMaterial) -> str:
    """How the comparison is planned after it."""
    seeds = numbers.listed([str(seed) for seed in material.plan.seeds])
    return (
        f"Plan the comparison, with other seeds than {seeds}: advisor plan QUESTION --after-pilot {material.study_id}. "
        f"See other designs at this spread with: advisor power --pilot {material.study_id}."
    )


def pilot_delivery_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """Whether each treatment acted: no score is in that."""
    idle = [one.arm for one in material.pilot_delivery if one.status == "not_delivered"]
    caution = f"{numbers.listed(idle)} did not act, so the spread may be too small for runs in which it does"
    return (*map(_delivered, material.pilot_delivery), *([caution] if idle else []))


def _delivered(one: ArmDelivery) -> str:
    dose = "" if one.dose is None else f", dose {numbers.fixed(one.dose, 3)}"
    least = "" if one.minimum_dose is None or not dose else f" (minimum {numbers.short(one.minimum_dose)})"
    pairs = numbers.counted(one.pairs, "pair")
    reasons = "".join(f"; {reason}" for reason in one.reasons)
    return f"{one.arm}: {one.status.replace('_', ' ')}{dose}{least}, over {pairs}{reasons}"
