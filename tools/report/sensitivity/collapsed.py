"""The report's sections on collapsed cells: which were flagged and why, and the results with and without them."""

from collections.abc import Mapping

from tools.report.claims.comparison import variant_name
from tools.report.claims.facts import facts
from tools.scores.table import ScoreTable
from tools.statistics.decision import inside
from tools.statistics.sensitivity.collapse_effect import CollapseEffect, CollapseSide
from tools.statistics.sensitivity.collapsed import FAR_POINTS, FAR_Z, UNPARSED, Collapsed, CollapsedCell, Reason
from tools.statistics.sensitivity.run_spread import ENOUGH_RUNS
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, table, text

_SHOWN = 40
_REASONS: Mapping[Reason, str] = {
    "far_from_arm": "far from its arm",
    "below_chance": "below chance",
    "unparsed": "answers not readable",
}


def section(found: Collapsed, scores: ScoreTable) -> str:
    """Returns the flagged cells of one table as Markdown without a heading; `scores`: the table examined."""
    parts = [_lead(found), _flagged(found, scores), _rules(found, scores)]
    return "\n\n".join(part for part in parts if part)


def effect_section(effect: CollapseEffect, comparison: Comparison) -> str:
    """Returns one comparison with and without the flagged cells, as Markdown without a heading."""
    if comparison.verdict == "invalid_data":
        return "The scores cannot be compared, with or without the flagged cells."
    if not effect.flagged:
        return (
            f"None of the flagged cells is in {text(comparison.treatment)} or {text(comparison.control)} on a "
            "benchmark of the verdict set: excluding them changes nothing."
        )
    kept, left = (_reading(side, comparison) for side in (effect.kept, effect.left))
    count = numbers.counted(len(effect.flagged), "flagged cell")
    change = "without them too" if kept == left else f"without them it would read {left}"
    lead = (
        f"With the {count} in these two arms the comparison reads {kept}, {change}. The whole pair of a flagged cell "
        f"is left out: n = {effect.kept.n} seed pairs with, n = {effect.left.n} without. The verdict includes them."
    )
    return f"{lead}\n\n{_effect_table(effect, comparison)}"


def _lead(found: Collapsed) -> str:
    looked = f"{found.scores:,} scores were checked, before any verdict and without regard to the arms' names"
    if not found.cells:
        return f"{looked}; none is flagged as collapsed."
    runs = len({(one.cell.arm, one.cell.seed) for one in found.cells})
    return (
        f"{looked}; {numbers.counted(len(found.cells), 'cell')} in {numbers.counted(runs, 'run')} "
        f"{'is' if len(found.cells) == 1 else 'are'} flagged. A flag is a reason to inspect the run, not proof of a "
        "fault: nothing is dropped, and results are given with and without."
    )


def _flagged(found: Collapsed, scores: ScoreTable) -> str:
    if not found.cells:
        return ""
    columns: list[Column | str] = [
        "arm", Column("seed", "right"), "benchmark", Column("score", "right"), Column("expected", "right"),
        Column("distance in scales", "right"), "reason",
    ]  # fmt: skip
    listed = table(columns, [_row(one, scores) for one in found.cells[:_SHOWN]])
    more = len(found.cells) - _SHOWN
    return listed if more <= 0 else f"{listed}\n\n{more} more are not shown here."


def _row(one: CollapsedCell, scores: ScoreTable) -> list[str]:
    names = [_REASONS[reason] for reason in one.reasons]
    if one.unparsed is not None and "unparsed" in one.reasons:
        names[-1] += f" ({numbers.percent(one.unparsed)})"
    return [
        text(scores.arms[one.cell.arm]),
        str(scores.seeds[one.cell.seed]),
        text(scores.benchmarks[one.cell.benchmark]),
        numbers.fixed(one.score, 1),
        f"{numbers.fixed(one.reference, 1)}{' (all arms)' if one.against == 'cell' else ''}",
        numbers.signed(one.z, 1),
        numbers.listed(names),
    ]


def _rules(found: Collapsed, scores: ScoreTable) -> str:
    lines = [
        f"- Far from its arm: more than {FAR_Z:g} scales and {FAR_POINTS:g} points from the arm's median, or from the "
        "median of all arms where most of an arm's runs are low. The scale is the larger of the binomial standard "
        "error and the pooled median absolute deviation of runs from their arm; about one cell in 1,300 is this far "
        "out by chance alone, if scores are normal. " + _far_rule(found, len(scores.benchmarks))
    ]
    chance = numbers.listed([text(name) for name in found.chance_rule])
    lines.append(
        f"- Below chance by more than the number of questions explains: {chance}."
        if chance
        else "- Below chance: not applied, since no benchmark here has a known chance level."
    )
    share = numbers.percent(UNPARSED)
    lines.append(
        f"- More than {share} of the answers not readable: recorded for {found.unparsed_known:,} cells."
        if found.unparsed_known
        else "- Unreadable answers, the best evidence, are not recorded for this table."
    )
    return "\n".join(lines)


def _far_rule(found: Collapsed, benchmarks: int) -> str:
    missing = benchmarks - len(found.far_rule)
    if not missing:
        return f"How much runs vary is estimated from at least {found.runs} runs {_pool(found)}."
    where = f"{missing} of {benchmarks} benchmarks" if found.far_rule else "any benchmark"
    return (
        f"This could not be applied to {where}: at least {ENOUGH_RUNS} runs of the recipe or model are needed to "
        f"estimate how much they vary, and {found.runs} are known. Only the rules below apply there, so a collapse may "
        "go undetected."
    )


def _pool(found: Collapsed) -> str:
    if not found.of_model:
        return "of this recipe"
    where = (
        "" if found.of_model == found.far_rule else f" (on {numbers.listed([text(name) for name in found.of_model])})"
    )
    return f"of this model under any recipe{where}, since this recipe alone has fewer than {ENOUGH_RUNS}"


def _reading(side: CollapseSide, comparison: Comparison) -> str:
    return text(variant_name(comparison, side.verdict, side.direction, negligible=negligible_in(side, comparison)))


def negligible_in(side: CollapseSide, comparison: Comparison) -> bool:
    """Whether a claim of this side is one of a difference below the smallest effect of interest."""
    return side.verdict == "supported" and all(
        inside(one.low_family, one.high_family, comparison.summaries[name].sesoi)
        for name, one in side.summaries.items()
    )


def _effect_table(effect: CollapseEffect, comparison: Comparison) -> str:
    level = facts(comparison).level
    columns: list[Column | str] = [
        "summary",
        Column(f"with, n = {effect.kept.n}", "right"),
        Column(level, "right"),
        Column(f"without, n = {effect.left.n}", "right"),
        Column(level, "right"),
    ]
    rows = []
    for name, kept in effect.kept.summaries.items():
        left = effect.left.summaries[name]
        rows.append(
            [
                f"**{text(name)}** (primary)" if name == comparison.primary else text(name),
                numbers.signed(kept.mean),
                numbers.interval(kept.low_family, kept.high_family),
                numbers.signed(left.mean),
                numbers.interval(left.low_family, left.high_family),
            ]
        )
    return table(columns, rows)
