"""Every claim of a study that compares no policies: how much runs vary by chance, and what a comparison then needs."""

from collections.abc import Mapping

from tools.evaluation.material import ReportMaterial
from tools.plan.study_plan import StudyPlan
from tools.report.claims.facts import Claim
from tools.report.claims.power import needed_equivalent_sentence, needed_supported_sentence
from tools.report.claims.study import measured_price
from tools.statistics.delivery_model import ArmDelivery
from tools.statistics.spread.spread_study import SpreadStudy
from tools.text import numbers


def precision_sentence(df: int) -> str:
    """Returns how precisely a study will estimate the spread, before it runs."""
    from tools.statistics.paired import sd_interval

    if df < 1:
        return "Nothing: estimating a spread needs at least two pairs."
    import numpy as np

    limits = sd_interval(np.ones(1), df)
    low, high = (numbers.fixed(float(side[0])) for side in limits)
    return (
        f"The SD of a paired difference with {numbers.counted(df, 'degree')} of freedom: its 95 % limits will be "
        f"{low} and {high} times the estimate. No verdict."
    )


NO_DELIVERY = "Delivery: not applicable, since both runs of a pair apply the same policy with the same parameters."


def spread_title(material: ReportMaterial) -> str:
    """Returns question and spread in one line, which states that no policy is compared."""
    plan, spread = material.plan, _spread(material)
    if plan.kind == "pilot":
        return pilot_title(material)
    found = _found(plan, spread) or f"No spread: {_why_none(spread)}"
    return f"How noisy is {plan.control.id}? {found}; no policy is compared"


def lead_sentence(material: ReportMaterial) -> str:
    """Returns the kind of study, shown in bold at the top."""
    if material.plan.kind == "pilot":
        return LEAD
    return "No verdict: one policy is run against itself, so no policy is compared."


def spread_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Returns the claims about the spread; ids start with `spread.`."""
    texts = {"title": spread_title(material), "lead": lead_sentence(material)} | dict(_named(material))
    return tuple(Claim(id=f"spread.{key}", text=text) for key, text in texts.items() if text)


def planning_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """Returns what a comparison needs at this spread; empty where none was estimated."""
    return tuple(text for _, text in _named(material))


def _named(material: ReportMaterial) -> tuple[tuple[str, str], ...]:
    ahead = _spread(material).ahead
    if ahead is None:
        return ()
    price = measured_price(material)
    return (
        ("planned_with", planned_with_sentence(material)),
        ("needed_supported", needed_supported_sentence(ahead, price)),
        ("needed_equivalent", needed_equivalent_sentence(ahead, price)),
        ("use", use_sentence(material)),
    )


def planned_with_sentence(material: ReportMaterial) -> str:
    """Returns the SD and its upper limit, which plans use."""
    ahead = _spread(material).ahead
    if ahead is None or ahead.prior_df is None:
        return ""
    primary = ahead.summaries[ahead.primary]
    return (
        f"On {ahead.primary} the SD is {numbers.fixed(primary.sd)} points with "
        f"{numbers.counted(ahead.prior_df, 'degree')} of freedom; a comparison is planned with its one-sided upper "
        f"80 % limit, {numbers.fixed(primary.sd_upper)} points."
    )


def use_sentence(material: ReportMaterial) -> str:
    """Returns how to plan with this spread, and what the spread leaves out."""
    plan = material.plan
    if plan.kind == "pilot":
        return pilot_use_sentence(material)
    command = f"advisor power --pilot {material.study_id}"
    if plan.treatments[0].seed_offset:
        return (
            f"Pairs had different seeds, so this SD does not include any gain from pairing by seed: a matched "
            f"comparison may need fewer pairs. For other designs at this spread: {command}."
        )
    return (
        f"Two policies also differ in what they train on, so their differences may vary more than these: the pairs "
        f"above are the least that a comparison needs. For other designs at this spread: {command}."
    )


def lost_sentence(material: ReportMaterial) -> str:
    """Returns how many planned seeds are not complete; empty where all are."""
    spread = _spread(material)
    complete = spread.pilot.seeds if spread.pilot else sum(spread.noise.pairs.values()) if spread.noise else None
    lost = 0 if complete is None else len(material.plan.seeds) - complete
    if lost < 1:
        return ""
    verb = "is" if lost == 1 else "are"
    return f"{numbers.capital(numbers.counted(lost, 'planned seed'))} {verb} left out: not complete in all runs."


def rollouts_sentence(material: ReportMaterial) -> str:
    """Returns whether the rollouts of the two runs of each pair differ, judged by their training rewards."""
    plan, found = material.plan, {(one.arm, one.seed): one.points for one in material.curves}
    pairs = [_of_pair(plan, found, seed) for seed in plan.seeds]
    whole = [pair for pair in pairs if pair is not None]
    if not whole:
        return "Whether the rollouts of a pair differ is not recorded."
    same = sum(one == other for one, other in whole)
    counted = numbers.counted(len(whole), "pair")
    if same:
        return (
            f"In {numbers.word(same)} of {counted} both runs have the same training reward at every step: identical "
            "rollouts are suspected, which hide the noise that this study measures."
        )
    return f"In {numbers.every(len(whole), 'pair')} the training rewards of the two runs differ, so their rollouts do."


def seeds_sentence(plan: StudyPlan) -> str:
    """Returns the seeds of each pair; empty where the seeds of a pair are the same."""
    offset = plan.treatments[0].seed_offset
    if not offset:
        return ""
    pairs = [f"{seed} with {seed + offset}" for seed in plan.seeds]
    return f"Seeds of the pairs: {numbers.listed(pairs)}; tables name a pair by its first seed."


Points = tuple[tuple[int, float], ...]


def _of_pair(plan: StudyPlan, found: Mapping[tuple[str, int], Points], seed: int) -> tuple[Points, Points] | None:
    one, other = (found.get((arm.id, plan.run_of(arm, seed).seed)) for arm in plan.arms)
    return None if one is None or other is None else (one, other)


def _found(plan: StudyPlan, spread: SpreadStudy) -> str:
    noise, primary = spread.noise, plan.analysis.primary
    if noise is None:
        return ""
    sd = noise.summaries[primary].sd
    if sd is None:
        return ""
    kind = "with the same seed" if noise.matched else "with different seeds"
    n = sum(noise.pairs.values())
    return f"Two runs {kind} differ with SD {numbers.fixed(sd)} points on {primary} (n = {n} pairs)"


def _why_none(spread: SpreadStudy) -> str:
    if spread.noise is None:
        return "the runs of a pair cannot be compared"
    n = sum(spread.noise.pairs.values())
    return f"{numbers.counted(n, 'complete pair')}, two are needed"


def _spread(material: ReportMaterial) -> SpreadStudy:
    assert material.spread is not None
    return material.spread


LEAD = (
    "No verdict: a pilot estimates how much differences vary. Its scores by arm stay hidden, and its seeds never enter "
    "the comparison that it prepares."
)


def pilot_title(material: ReportMaterial) -> str:
    """Returns the spread and its n, or that none could be estimated."""
    plan, pilot = material.plan, material.spread.pilot if material.spread else None
    versus = f"{numbers.listed([arm.id for arm in plan.treatments])} against {plan.control.id}"
    if pilot is None:
        return f"Pilot for {versus}: no spread could be estimated; no policy is compared"
    primary = plan.analysis.primary
    sd = numbers.fixed(pilot.summaries[primary].sd)
    return (
        f"Pilot for {versus}: differences have SD {sd} points on {primary} (n = {pilot.seeds} seeds); no policy is "
        "compared"
    )


def pilot_use_sentence(material: ReportMaterial) -> str:
    """Returns how to plan the comparison after the pilot."""
    seeds = numbers.listed([str(seed) for seed in material.plan.seeds])
    return (
        f"Plan the comparison, with seeds other than {seeds}: advisor plan QUESTION --after-pilot {material.study_id}. "
        f"For other designs at this spread: advisor power --pilot {material.study_id}."
    )


def pilot_delivery_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """Returns whether each treatment acted, without any score."""
    idle = [one.arm for one in material.pilot_delivery if one.status == "not_delivered"]
    caution = f"{numbers.listed(idle)} did not act, so the spread may be too small for runs in which it does"
    return (*map(_delivered, material.pilot_delivery), *([caution] if idle else []))


def _delivered(one: ArmDelivery) -> str:
    dose = "" if one.dose is None else f", dose {numbers.fixed(one.dose, 3)}"
    least = "" if one.minimum_dose is None or not dose else f" (minimum {numbers.short(one.minimum_dose)})"
    pairs = numbers.counted(one.pairs, "pair")
    reasons = "".join(f"; {reason}" for reason in one.reasons)
    return f"{one.arm}: {one.status.replace('_', ' ')}{dose}{least}, over {pairs}{reasons}"
