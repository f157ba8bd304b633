"""Sentences about a sequential plan: its rule, its looks and why it ended."""

from tools.evaluation.material import ReportMaterial
from tools.plan.sequential_design import SequentialDesign
from tools.report.claims.facts import Facts
from tools.statistics.sequential.model import LookDecision
from tools.statistics.verdict_model import Verdict
from tools.text import numbers


def fixed_seeds_warning(one: Facts) -> str:
    """Returns the warning above checks that assume a fixed number of seeds; empty where it was fixed."""
    if not one.comparison.repeated:
        return ""
    return (
        "Seeds were added look by look, and the verdict's intervals allow for that; everything else here treats "
        f"{one.pairs} as fixed in advance and is too narrow."
    )


def ranks_warning(verdict: Verdict) -> str:
    """The same over rankings of all arms."""
    if not any(one.repeated for one in verdict.comparisons):
        return ""
    return (
        "Seeds were added look by look, and the verdicts' intervals allow for that; rankings take the runs of each arm "
        "as fixed beforehand, and chance moves them further than it says here."
    )


_SPENDING = {
    "power": "a power function, exponent {parameter:g}",
    "hwang_shih_decani": "the Hwang-Shih-DeCani family, gamma {parameter:g}",
    "obrien_fleming": "the O'Brien-Fleming family",
    "pocock": "the Pocock family",
}


def stopped_sentence(material: ReportMaterial) -> str:
    """Returns why each treatment got no further seed; empty where the number of seeds was fixed."""
    if material.plan.design is None:
        return ""
    several, said = len(material.plan.treatments) > 1, []
    for arm in material.plan.treatments:
        last = next((one.look for one in reversed(material.looks) if one.treatment == arm.id), None)
        if last is None or verdict_of(material, arm.id) == "invalid_data":
            continue
        why = _WHY[last.decision]
        if _goes_further(last.decision, verdict_of(material, arm.id)):
            why += _apart(verdict_of(material, arm.id))
        said.append(f"{f'{arm.id} ' if several else ''}after {numbers.counted(last.n, 'pair')} ({why})")
    return f"Ended by the sequential plan {numbers.listed(said)}." if said else ""


def verdict_of(material: ReportMaterial, treatment: str) -> str:
    """Returns the name of a treatment's verdict; empty where it has none."""
    found = (one.verdict for one in material.verdict.comparisons if one.treatment == treatment)
    return next(found, "")


def design_sentence(design: SequentialDesign, confidence: float) -> str:
    """Returns the stopping rule that was fixed before any score existed."""
    spending = _SPENDING[design.spending].format(parameter=design.spending_parameter)
    futility = (
        f", and for futility when the chance of a later crossing falls below {numbers.percent(design.futility_chance)} "
        "in both directions"
        if design.futility_chance
        else ""
    )
    return (
        f"Sequential plan: seeds were added block by block, at least {design.n_min} and at most {design.n_max}, with a "
        f"look after each block from {design.n_min} pairs on. The study stops when every summary is outside the bound "
        f"of a look on the same side{futility}, or when every repeated interval is within the smallest effect of "
        f"interest. The error is spent over the looks by {spending}. Repeated intervals hold jointly over all looks "
        f"at {numbers.percent(confidence)}, so stopping at any look does not inflate the error; they are wider than "
        "those of a fixed plan."
    )


def ended_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """Returns how many looks each treatment had and what the last one decided."""
    said = []
    for arm in material.plan.treatments:
        looks = [one for one in material.looks if one.treatment == arm.id]
        if not looks:
            said.append(f"{arm.id}: no look was made, because too few pairs are complete.")
            continue
        if verdict_of(material, arm.id) == "invalid_data":
            said.append(f"{arm.id}: its data are not valid, so the results of its looks are not shown.")
            continue
        last = looks[-1].look
        end = last.reason if last.stops else f"{last.reason} No planned seed was left."
        if _goes_further(last.decision, verdict_of(material, arm.id)):
            end += (
                " A look reads the scores of complete pairs alone; the verdict says why no claim follows."
                if material.plan.design
                else " No claim rests on that: the verdict reads the pairs that were added since."
            )
        said.append(f"{arm.id}, after {numbers.counted(len(looks), 'look')}: {end}")
    return tuple(said)


def _goes_further(decision: LookDecision, verdict: str) -> bool:
    """What the look saw is not what the verdict says."""
    return verdict != {"efficacy": "supported", "equivalence": "negative_equivalent"}.get(decision, verdict)


def _apart(verdict: str) -> str:
    """What a look that goes further than the verdict did not read."""
    if verdict == "treatment_not_delivered":
        return ", of labels: the arms are not shown to differ as planned"
    return " on the complete pairs alone"


_WHY = {
    "efficacy": "an effect under every summary",
    "futility": "futility: a later answer was unlikely, which is not evidence of no effect",
    "equivalence": "no difference of interest remained",
    "n_max": "the planned maximum",
    "go_on": "no planned seed remained",
}
