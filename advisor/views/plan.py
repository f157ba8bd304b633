"""Prints a plan in the terminal: arms, seeds, what is held fixed, what it can detect, what it costs."""

import math

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from policies.registry import get as policy_class
from tools.design.forecast import LONGER, ExpectedEnd, ExpectedEnds
from tools.design.seeds import MOST_SEEDS_ASKED
from tools.plan.cost import SeedPrice, hours, hours_unit, seed_price
from tools.plan.sequential_design import SequentialDesign
from tools.plan.study_plan import StudyPlan
from tools.plan_study import PlannedStudy
from tools.report.claims.power import plan_claims, probability_supported
from tools.report.claims.spread import precision_sentence
from tools.report.claims.study import TOY_NOTICE
from tools.statistics.power.model import PowerStatement
from tools.text import numbers

_CLAIMS = {
    "plan.detectable": "can detect", "plan.supported": "verdict on all", "plan.family": "family",
    "plan.needed_supported": "takes", "plan.needed_equivalent": "or takes", "plan.spread": "spread",
}  # fmt: skip
"""Claim -> its row."""


def show_plan(console: Console, proposal: PlannedStudy, study: str | None = None) -> None:
    """Prints the whole plan."""
    plan = proposal.plan
    rows = _grid()
    if study:
        rows.add_row("study", study)
    rows.add_row("question", Text(plan.question))
    _add_arms(rows, plan)
    most = "at most " if plan.design else ""
    if plan.design:
        rows.add_row("looks", _looks(plan.design))
    rows.add_row("runs", f"{most}{proposal.cost.runs} = {len(plan.arms)} arms x {_counted(len(plan.seeds), 'seed')}")
    rows.add_row("recipe", f"{plan.recipe.name} ({plan.recipe.title})")
    rows.add_row("held fixed", _held_fixed(plan))
    rows.add_row("scored on", f"{len(plan.benchmarks)} benchmarks ({plan.recipe.suite})")
    if plan.gives_verdict:
        rows.add_row("verdict", _analysis(plan))
        _add_power(rows, proposal.power, seed_price(plan.recipe, len(plan.arms)))
    else:
        rows.add_row("gives", precision_sentence((len(plan.arms) - 1) * (len(plan.seeds) - 1)))
    rows.add_row("cost", _cost(proposal))
    if proposal.expected:
        rows.add_row("expected", _expected(proposal.expected, hours_unit(plan.recipe)))
    if plan.design and proposal.power:
        rows.add_row("looks cost", _looks_cost(proposal.power, seed_price(plan.recipe, len(plan.arms))))
    rows.add_row("budget", _budget(proposal))
    rows.add_row("plan hash", proposal.plan_hash[:12])
    parts: list[RenderableType] = [rows]
    parts += [Text(f"note: {note}", style="dim") for note in plan.notes]
    if plan.recipe.toy:
        parts.append(Text(TOY_NOTICE, style="dim"))
    parts += [Text(f"warning: {warning}", style="bold yellow") for warning in proposal.warnings]
    console.print(Group(*parts))


def _add_arms(rows: Table, plan: StudyPlan) -> None:
    """What runs at which seeds."""
    seeds = _listed(plan.seeds)
    if plan.kind == "noise":
        offset = plan.treatments[0].seed_offset
        other = f"with seed {_listed(tuple(seed + offset for seed in plan.seeds))}" if offset else "two replicates each"
        rows.add_row("policy", f"{plan.control.policy}, against itself")
        rows.add_row("seeds", f"{_counted(len(plan.seeds), 'pair')}: {seeds}, {other}")
        return
    for arm in plan.arms:
        rows.add_row(arm.role, str(arm.policy))
        if arm.role == "treatment" and (inert := policy_class(arm.policy.name).inert_when):
            rows.add_row("may be inert", inert)
    most = "at most " if plan.design else ""
    rows.add_row("seeds", f"{most}{_counted(len(plan.seeds), 'matched pair')}: {seeds}")


def power_rows(power: PowerStatement, setting: str, price: SeedPrice | None) -> Table:
    """The setting and every claim about what its number of pairs can detect."""
    rows = _grid()
    words = (setting, _counted(power.n, "seed pair"), _counted(power.k, "treatment"))
    rows.add_row("setting", f"{', '.join(words)}, smallest effect of interest {numbers.points(power.sesoi)}")
    _add_power(rows, power, price)
    return rows


def _looks(design: SequentialDesign) -> str:
    return (
        f"after each seed from seed {design.n_min} on; stops for an effect under every summary, for equivalence, or "
        "for futility; scores by arm stay hidden until then"
    )


def _expected(expected: ExpectedEnds, unit: str) -> str:
    """Expected cost: the approval covers the maximum, this is the average."""

    def told(end: ExpectedEnd) -> str:
        shown = f"supported in {100 * end.supported:.0f} %"
        return f"{end.seeds:.1f} seeds, {hours(end.device_hours, unit)}, {shown}"

    return (
        f"without an effect {told(expected.at_zero)}; at the smallest effect of interest {told(expected.at_sesoi)} "
        f"({expected.studies:,} simulated studies); the power above is that of all seeds without looks"
    )


def _looks_cost(power: PowerStatement, price: SeedPrice) -> str:
    """How many seeds there may be at most for the power that a fixed number buys, and the price of the most."""
    said = f"without looks, {power.n} seeds would detect the smallest effect of interest with probability "
    said += probability_supported(power)
    needed = power.seeds_needed_supported
    if needed is None:
        return said
    low, high = (math.ceil(factor * needed) for factor in LONGER)
    if low > MOST_SEEDS_ASKED:
        return f"{said}; reaching 0.80 with looks needs more than the {MOST_SEEDS_ASKED} seeds that a study may have"
    high = min(high, MOST_SEEDS_ASKED)
    dear = hours(high * price.arms * price.device_hours_per_run, price.unit)
    return (
        f"{said}; to reach 0.80 with looks, allow a maximum of {low} to {high} seeds, {LONGER[0]:g} to {LONGER[1]:g} "
        f"times the {needed} of a fixed plan (--seeds {high}: {dear} if no look stops it)"
    )


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
    family = f", corrected for {analysis.family_size} treatments" if analysis.family_size > 1 else ""
    return (
        f"{100 * analysis.confidence:g} % paired intervals{family}, under all of {len(analysis.summaries)} summaries; "
        f"primary {analysis.primary}; smallest effect of interest {numbers.points(analysis.primary_sesoi)}"
    )


def _add_power(rows: Table, power: PowerStatement | None, price: SeedPrice | None) -> None:
    """The claims that a plan can make, one row each."""
    if power is None:
        rows.add_row("can detect", "unknown: no spread is known for this recipe and model; run a pilot first (--pilot)")
        return
    for claim in plan_claims(power, price):
        rows.add_row(_CLAIMS[claim.id], claim.text)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _cost(proposal: PlannedStudy) -> str:
    cost = proposal.cost
    most = "at most " if proposal.plan.design else "about "
    wall = f"{duration(3600 * cost.wall_hours)} of wall time if runs are sequential"
    return f"{most}{hours(cost.device_hours, cost.unit)}, {wall}, {cost.disk_mb:,.0f} MB of disk ({cost.source})"


def _budget(proposal: PlannedStudy) -> str:
    from tools.plan.cost import default_ceiling

    budget = proposal.plan.budget_device_hours
    if budget is None:
        ceiling = hours(default_ceiling(proposal.plan), hours_unit(proposal.plan.recipe))
        return f"none given; approving allows up to {ceiling}"
    return f"{budget:g} {proposal.cost.unit}"


def duration(seconds: float | None) -> str:
    """`45 s`, `12 min`, `3.5 h`; a dash for nothing."""
    if seconds is None:
        return "-"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
