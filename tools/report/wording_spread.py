"""Every claim of a study that compares nothing: how far runs differ by chance, and what a comparison takes at that."""

from collections.abc import Mapping

from tools.report import numbers
from tools.report.claim import Claim
from tools.report.material import ReportMaterial
from tools.report.wording_pilot import LEAD, pilot_title, pilot_use_sentence
from tools.report.wording_power import needed_equivalent_sentence, needed_supported_sentence
from tools.report.wording_study import measured_price
from tools.statistics.spread_study import SpreadStudy
from tools.study.plan import StudyPlan


def precision_sentence(df: int) -> str:
    """How well a study will know the spread, before it runs."""
    from tools.statistics.sd_interval import sd_interval

    if df < 1:
        return "Nothing: a spread takes at least two pairs."
    import numpy as np

    limits = sd_interval(np.ones(1), df)
    low, high = (numbers.fixed(float(side[0])) for side in limits)
    return (
        f"The SD of a paired difference on {numbers.counted(df, 'degree')} of freedom: its 95 % limits will reach from "
        f"{low} to {high} times what is found. No verdict."
    )


NO_DELIVERY = "Delivery: not applicable, since both runs of a pair apply the same policy with the same parameters."


def spread_title(material: ReportMaterial) -> str:
    """What was asked and the spread, in one line that says that no policy is compared."""
    plan, spread = material.plan, _spread(material)
    if plan.kind == "pilot":
        return pilot_title(material)
    found = _found(plan, spread) or f"No spread: {_why_none(spread)}"
    return f"How noisy is {plan.control.id}? {found}; no policy is compared"


def lead_sentence(material: ReportMaterial) -> str:
    """What kind of study it is, in bold before all else."""
    if material.plan.kind == "pilot":
        return LEAD
    return "No verdict: one policy against itself, so no policy is compared."


def spread_claims(material: ReportMaterial) -> tuple[Claim, ...]:
    """Ids start with `spread.`."""
    texts = {"title": spread_title(material), "lead": lead_sentence(material)} | dict(_named(material))
    return tuple(Claim(id=f"spread.{key}", text=text) for key, text in texts.items() if text)


def planning_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """What a comparison takes at this spread; empty where none was found."""
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
    """The SD and the limit that plans use."""
    ahead = _spread(material).ahead
    if ahead is None or ahead.prior_df is None:
        return ""
    primary = ahead.summaries[ahead.primary]
    return (
        f"On {ahead.primary} the SD is {numbers.fixed(primary.sd)} points on "
        f"{numbers.counted(ahead.prior_df, 'degree')} of freedom; a comparison is planned with its one-sided upper "
        f"80 % limit, {numbers.fixed(primary.sd_upper)} points."
    )


def use_sentence(material: ReportMaterial) -> str:
    """How a plan takes this spread, and what it leaves out."""
    plan = material.plan
    if plan.kind == "pilot":
        return pilot_use_sentence(material)
    command = f"advisor power --pilot {material.study_id}"
    if plan.treatments[0].seed_offset:
        return (
            f"Pairs had different seeds, so what pairing on the seed cuts off is not in this SD: a matched comparison "
            f"may take fewer. See other designs at this spread with: {command}."
        )
    return (
        f"Two policies also differ in what they train on, so their differences may vary more than these: read the "
        f"pairs above as the least that a comparison takes. See other designs at this spread with: {command}."
    )


def lost_sentence(material: ReportMaterial) -> str:
    """Planned seeds that are not complete; empty where all are."""
    spread = _spread(material)
    complete = spread.pilot.seeds if spread.pilot else sum(spread.noise.pairs.values()) if spread.noise else None
    lost = 0 if complete is None else len(material.plan.seeds) - complete
    if lost < 1:
        return ""
    verb = "is" if lost == 1 else "are"
    return f"{numbers.capital(numbers.counted(lost, 'planned seed'))} {verb} not complete in all runs, and left out."


def rollouts_sentence(material: ReportMaterial) -> str:
    """Whether the two runs of each pair really went different ways, by their training rewards."""
    plan, found = material.plan, {(one.arm, one.seed): one.points for one in material.curves}
    pairs = [_of_pair(plan, found, seed) for seed in plan.seeds]
    whole = [pair for pair in pairs if pair is not None]
    if not whole:
        return "Whether the rollouts of a pair differ is not recorded."
    same = sum(one == other for one, other in whole)
    counted = numbers.counted(len(whole), "pair")
    if same:
        return (
            f"In {numbers.word(same)} of {counted} both runs have the same training reward at every step: suspected "
            "identical rollouts, which hide the noise that this study is for."
        )
    return f"In {numbers.every(len(whole), 'pair')} the training rewards of the two runs differ, so their rollouts did."


def seeds_sentence(plan: StudyPlan) -> str:
    """Where pairs have different seeds: which; empty else."""
    offset = plan.treatments[0].seed_offset
    if not offset:
        return ""
    pairs = [f"{seed} with {seed + offset}" for seed in plan.seeds]
    return f"Seeds of the pairs: {numbers.listed(pairs)}; tables name a pair by the first."


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
    kind = "of the same seed" if noise.matched else "of different seeds"
    n = sum(noise.pairs.values())
    return f"Two runs {kind} differ with SD {numbers.fixed(sd)} points on {primary} (n = {n} pairs)"


def _why_none(spread: SpreadStudy) -> str:
    if spread.noise is None:
        return "the runs of a pair are not fit to be compared"
    n = sum(spread.noise.pairs.values())
    return f"{numbers.counted(n, 'complete pair')} cannot say, it takes two"


def _spread(material: ReportMaterial) -> SpreadStudy:
    assert material.spread is not None
    return material.spread
