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
    if design is None:
        return ""
    parts = [text(design_sentence(design, material.plan.analysis.confidence))]
    parts += [text(sentence) for sentence in ended_sentences(material)]
    if material.looks:
        parts.append(_looks_table(material))
    return "\n\n".join(parts)


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
        last = looks[-1].look
        end = last.reason if last.stops else f"{last.reason} No planned seed was left."
        said.append(f"{arm.id}, after {numbers.counted(len(looks), 'look')}: {end}")
    return tuple(said)


def _looks_table(material: ReportMaterial) -> str:
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
    return table(columns, [_look_row(one, place) for one in material.looks])


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


_DECISIONS = {
    "efficacy": "an effect under every summary",
    "futility": "futility",
    "equivalence": "equivalence",
    "n_max": "all planned pairs are in",
}
