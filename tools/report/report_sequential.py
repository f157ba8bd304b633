"""The report's part on a sequential study: how seeds were added, what each look saw, and why it stopped."""

from collections.abc import Sequence

from tools.report import numbers
from tools.report.markdown import Column, table, text
from tools.report.material import LookRecord, ReportMaterial
from tools.statistics.sequential.model import SequentialDesign

_SPENDING = {
    "power": "a power function, exponent {parameter:g}",
    "hwang_shih_decani": "the Hwang-Shih-DeCani family, gamma {parameter:g}",
    "obrien_fleming": "the O'Brien-Fleming family",
    "pocock": "the Pocock family",
}


def sequential_section(material: ReportMaterial) -> str:
    """Finished Markdown without heading; empty where the plan is fixed."""
    design = material.plan.design
    if design is None and not material.looks:
        return ""
    said = [_AMENDED if design is None else design_sentence(design, material.plan.analysis.confidence)]
    if design is not None and any(one.look.n_max != design.n_max for one in material.looks):
        said.append(_CHANGED)
    parts = [text(sentence) for sentence in (*said, *ended_sentences(material))]
    shown = [one for one in material.looks if _verdict(material, one.treatment) != "invalid_data"]
    if shown:
        parts.append(_looks_table(material, shown))
    return "\n\n".join(parts)


def stopped_sentence(material: ReportMaterial) -> str:
    """Why each treatment got no further seed, for the head of a report; empty where the number of seeds was fixed."""
    if material.plan.design is None:
        return ""
    several, said = len(material.plan.treatments) > 1, []
    for arm in material.plan.treatments:
        last = next((one.look for one in reversed(material.looks) if one.treatment == arm.id), None)
        if last is None or _verdict(material, arm.id) == "invalid_data":
            continue
        why = _WHY[last.decision]
        if last.decision == "efficacy" and _verdict(material, arm.id) != "supported":
            why += " on the complete pairs alone"
        said.append(f"{f'{arm.id} ' if several else ''}after {numbers.counted(last.n, 'pair')} ({why})")
    return f"By the looks of the plan it ended {numbers.listed(said)}." if said else ""


def _verdict(material: ReportMaterial, treatment: str) -> str:
    found = (one.verdict for one in material.verdict.comparisons if one.treatment == treatment)
    return next(found, "")


def design_sentence(design: SequentialDesign, confidence: float) -> str:
    """The rule that was fixed before any score existed."""
    spending = _SPENDING[design.spending].format(parameter=design.spending_parameter)
    futility = (
        f", and for futility when the chance of a later crossing falls below {numbers.percent(design.futility_chance)} "
        "in both directions"
        if design.futility_chance
        else ""
    )
    return (
        f"Sequential plan: seeds were added block by block, at least {design.n_min} and at most {design.n_max}, with a "
        f"look after each block from {design.n_min} pairs on. The study stops when every summary lies beyond the bound "
        f"of a look on the same side{futility}, or when every repeated interval lies inside the smallest effect of "
        f"interest. The error is spent over the looks by {spending}. Repeated intervals hold at all looks together "
        f"with {numbers.percent(confidence)}, so that stopping at any of them costs nothing; they are wider than those "
        "of a fixed plan."
    )


def ended_sentences(material: ReportMaterial) -> tuple[str, ...]:
    """For each treatment, how many looks were made and what the last one said."""
    said = []
    for arm in material.plan.treatments:
        looks = [one for one in material.looks if one.treatment == arm.id]
        if not looks:
            said.append(f"{arm.id}: no look was made, since too few pairs are complete.")
            continue
        if _verdict(material, arm.id) == "invalid_data":
            said.append(f"{arm.id}: its data are not valid, so what its looks saw is not shown.")
            continue
        last = looks[-1].look
        end = last.reason if last.stops else f"{last.reason} No planned seed was left."
        if material.plan.design and last.decision == "efficacy" and _verdict(material, arm.id) != "supported":
            end += " A look reads the complete pairs alone; the verdict says why no claim follows."
        said.append(f"{arm.id}, after {numbers.counted(len(looks), 'look')}: {end}")
    return tuple(said)


def _looks_table(material: ReportMaterial, looks: Sequence[LookRecord]) -> str:
    primary = material.plan.analysis.primary
    place = list(material.plan.analysis.summaries).index(primary)
    columns: list[Column | str] = [
        "treatment",
        Column("pairs", "right"),
        Column("bound on abs(t)", "right"),
        Column(f"difference, {text(primary)}", "right"),
        Column("repeated interval", "right"),
        "decision",
    ]
    return table(columns, [_look_row(one, place) for one in looks])


def _look_row(one: LookRecord, place: int) -> Sequence[str]:
    summary = one.look.summaries[place]
    return [
        text(one.treatment),
        str(one.look.n),
        numbers.fixed(one.look.critical),
        numbers.signed(summary.mean),
        numbers.interval(summary.low, summary.high),
        "goes on" if not one.look.stops else text(f"stops: {_DECISIONS[one.look.decision]}"),
    ]


_AMENDED = (
    "The plan was sequential until it was amended, and the looks below were made by then. The number of seeds was "
    "fixed afterwards, by somebody who could know their outcome: the intervals of the verdict are those of a fixed "
    "number of pairs and make no allowance for these looks."
)
_CHANGED = (
    "The plan was amended between looks: those before and after do not share one error, so that the level does not "
    "hold for all of them together."
)
_WHY = {
    "efficacy": "an effect under every summary",
    "futility": "futility: a later answer was unlikely, which does not show that there is no effect",
    "equivalence": "no difference that matters was left",
    "n_max": "the most that was planned",
    "go_on": "no planned seed was left",
}
_DECISIONS = {
    "efficacy": "an effect under every summary",
    "futility": "futility",
    "equivalence": "equivalence",
    "n_max": "all planned pairs are in",
}
