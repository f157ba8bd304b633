"""The report's section on a sequential study: how seeds were added, the result of each look, and why it stopped."""

from collections.abc import Sequence

from tools.evaluation.material import LookRecord, ReportMaterial
from tools.report.claims.sequential import design_sentence, ended_sentences, verdict_of
from tools.text import numbers
from tools.text.markdown import Column, table, text


def sequential_section(material: ReportMaterial) -> str:
    """Returns finished Markdown without a heading; empty where the number of seeds is fixed."""
    design = material.plan.design
    if design is None and not material.looks:
        return ""
    said = [_AMENDED if design is None else design_sentence(design, material.plan.analysis.confidence)]
    if design is not None and any(one.look.n_max != design.n_max for one in material.looks):
        said.append(_CHANGED)
    parts = [text(sentence) for sentence in (*said, *ended_sentences(material))]
    shown = [one for one in material.looks if verdict_of(material, one.treatment) != "invalid_data"]
    if shown:
        parts.append(_looks_table(material, shown))
    return "\n\n".join(parts)


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
        "continues" if not one.look.stops else text(f"stops: {_DECISIONS[one.look.decision]}"),
    ]


_AMENDED = (
    "The plan was sequential until it was amended, and the looks below were made before that. The number of seeds was "
    "fixed afterwards, by somebody who could know their outcome: the intervals of the verdict are those of a fixed "
    "number of pairs and make no allowance for these looks."
)
_CHANGED = (
    "The plan was amended between looks: the looks before and after do not share one error budget, so the level does "
    "not hold jointly over all of them."
)


_DECISIONS = {
    "efficacy": "an effect under every summary",
    "futility": "futility",
    "equivalence": "equivalence",
    "n_max": "all planned pairs are complete",
}
