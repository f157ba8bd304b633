"""How a plan looks at a terminal: arms, seeds, what is held fixed, what it can detect, what it costs."""

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from advisor.planning import PowerAnswer, Proposal
from tools.statistics.power_model import PowerStatement
from tools.study.plan import StudyPlan


def show_plan(console: Console, proposal: Proposal, study: str | None = None) -> None:
    """Prints the whole plan."""
    plan = proposal.plan
    rows = _grid()
    if study:
        rows.add_row("study", study)
    rows.add_row("question", Text(plan.question))
    for arm in plan.arms:
        rows.add_row(arm.role, str(arm.policy))
    rows.add_row("seeds", f"{len(plan.seeds)} matched pairs: {_listed(plan.seeds)}")
    rows.add_row("runs", f"{proposal.cost.runs} = {len(plan.arms)} arms x {len(plan.seeds)} seeds")
    rows.add_row("recipe", f"{plan.recipe.name} ({plan.recipe.title})")
    rows.add_row("held fixed", _held_fixed(plan))
    rows.add_row("scored on", f"{len(plan.benchmarks)} benchmarks ({plan.recipe.suite})")
    rows.add_row("verdict", _analysis(plan))
    rows.add_row("can detect", _power(proposal.power))
    rows.add_row("cost", _cost(proposal))
    rows.add_row("budget", _budget(proposal))
    rows.add_row("plan hash", proposal.plan_hash[:12])
    parts: list[RenderableType] = [rows]
    parts += [Text(f"note: {note}", style="dim") for note in plan.notes]
    if plan.recipe.toy:
        parts.append(Text("Demonstration on a toy model; it says nothing about real ones.", style="dim"))
    parts += [Text(f"warning: {warning}", style="bold yellow") for warning in proposal.warnings]
    console.print(Group(*parts))


def show_power(console: Console, answer: PowerAnswer) -> None:
    """Prints the answer to a question about seeds and effects."""
    power = answer.power
    rows = _grid()
    rows.add_row("setting", f"{answer.setting}, {power.n} seed pairs, {power.k} treatment(s), SESOI {power.sesoi:g}")
    rows.add_row("can detect", _power(power))
    rows.add_row("seeds needed", _needed(power))
    rows.add_row("spread", f"{power.prior_source} (df {power.prior_df})")
    console.print(Group(rows, *(Text(f"note: {note}", style="dim") for note in answer.notes)))


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _listed(seeds: tuple[int, ...]) -> str:
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _held_fixed(plan: StudyPlan) -> str:
    recipe = plan.recipe
    return (
        f"model {recipe.model}, data {recipe.data}, {recipe.steps} steps of {recipe.prompts_per_step} prompts x "
        f"{recipe.rollouts_per_prompt} rollouts, at most {recipe.max_response_tokens} tokens, learning rate "
        f"{recipe.learning_rate:g}"
    )


def _analysis(plan: StudyPlan) -> str:
    analysis = plan.analysis
    family = f", {analysis.family_size} treatments corrected for" if analysis.family_size > 1 else ""
    return (
        f"{100 * analysis.confidence:g} % paired intervals{family}, under all of {len(analysis.summaries)} summaries; "
        f"primary {analysis.primary}; smallest effect of interest {analysis.sesoi:g} "
        f"point{'' if analysis.sesoi == 1 else 's'}"
    )


def _power(power: PowerStatement | None) -> str:
    if power is None:
        return "unknown: no spread is on record for this recipe and model"
    if power.detectable_effect is None:
        return "nothing: one pair gives no interval"
    effect, upper = f"{power.detectable_effect:.2g}", f"{power.detectable_effect_upper:.2g}"
    supported = _share(power.probability_supported)
    if power.probability_supported_by == "lower bound" and power.probability_supported >= 0.01:
        supported = f"at least {supported}"
    return (
        f"{effect} points on the primary with 80 % power ({upper} if the spread is at its upper limit). At a true "
        f"difference of {power.sesoi:g}: power {_share(power.power_primary)}, verdict `supported` {supported}, limited "
        f"by {power.limiting_summary}. Spread: {power.prior_source} (df {power.prior_df})"
    )


def _needed(power: PowerStatement) -> str:
    supported = "over a million" if power.seeds_needed_supported is None else str(power.seeds_needed_supported)
    primary = "over a million" if power.seeds_needed_primary is None else str(power.seeds_needed_primary)
    return f"{primary} pairs to see {power.sesoi:g} points on the primary, {supported} under every summary (80 %)"


def _share(value: float) -> str:
    return f"{100 * value:.0f} %" if value >= 0.01 else "under 1 %"


def _cost(proposal: Proposal) -> str:
    cost = proposal.cost
    return (
        f"about {cost.device_hours:.3g} {cost.unit}, {duration(3600 * cost.wall_hours)} of wall time one run after the "
        f"other, {cost.disk_mb:,.0f} MB of disk ({cost.source})"
    )


def _budget(proposal: Proposal) -> str:
    from tools.study.cost import default_ceiling

    budget = proposal.plan.budget_device_hours
    if budget is None:
        return f"none named; an approval covers up to {default_ceiling(proposal.plan):.3g} {proposal.cost.unit}"
    return f"{budget:g} {proposal.cost.unit}"


def duration(seconds: float | None) -> str:
    """`45 s`, `12 min`, `3.5 h`; a dash for nothing."""
    if seconds is None:
        return "-"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
