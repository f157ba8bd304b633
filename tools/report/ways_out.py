"""What speaks against a plan before it runs, and what would help: told to whoever is asked to approve it."""

from collections.abc import Iterator

from tools.report import numbers
from tools.report.wording_power import ROOM, about, priced_pairs, probability_supported
from tools.statistics.power_model import PowerStatement
from tools.study.budget import rounded_up
from tools.study.cost import SeedPrice
from tools.study.plan import StudyPlan
from tools.study.seeds import MOST_RUNS, MOST_SEEDS_ASKED

ENOUGH = 0.8
"""P(`supported`) below which a plan is called underpowered."""
_WELL_KNOWN = 6
"""Degrees of freedom from which on a spread's upper limit is less than 1.5 times the spread: a pilot teaches little."""


def plan_warnings(plan: StudyPlan, power: PowerStatement | None, price: SeedPrice) -> tuple[str, ...]:
    """Why this plan cannot answer its question, each with the ways out; empty when it can."""
    if not plan.gives_verdict:
        return (*_idle(plan), *_no_spread(plan))
    return (*_idle(plan), *_too_small(plan, power, price))


def _no_spread(plan: StudyPlan) -> Iterator[str]:
    if len(plan.seeds) < 2:
        yield "one pair gives no spread; ways out: at least two pairs, better five or more"


def _idle(plan: StudyPlan) -> Iterator[str]:
    """Treatments that warm up for half the steps or longer."""
    steps = plan.recipe.steps
    for arm in plan.treatments:
        warmup = arm.policy.parameters.get("warmup", 0)
        if isinstance(warmup, int) and 2 * warmup >= steps:
            when = f"in {min(warmup, steps)} of the {steps} steps" if warmup < steps else f"in any of the {steps} steps"
            yield f"{arm.id} does not act {when}: its warm-up is {warmup} steps; ways out: more steps; a shorter warmup"


def _too_small(plan: StudyPlan, power: PowerStatement | None, price: SeedPrice) -> tuple[str, ...]:
    what = "this plan" if plan.budget_device_hours is None else "this budget"
    if power is not None:
        return shortfalls(power, price, what)
    unknown = f"nothing is known about the spread on {plan.recipe.name} with {plan.recipe.model}"
    if len(plan.seeds) > 1:
        return (f"{unknown}: what the plan can detect is unknown; a study of a few seeds would tell",)
    return (f"{_one_seed(what)}; {unknown}",)


def shortfalls(power: PowerStatement, price: SeedPrice | None, what: str) -> tuple[str, ...]:
    """Why `what` ("this plan", "this budget") cannot answer the question, each with the ways out; empty if it can.

    price: None where it is not known.
    """
    if power.n < 2:
        return (f"{_one_seed(what)}; ways out: {_listed(power, price)}",)
    shown = f"a true difference of {numbers.points(power.sesoi)} on every benchmark would be shown under every summary"
    if power.probability_supported < ENOUGH:
        may_be = power.by == "bound" and power.probability_supported_most >= ENOUGH
        answer = f"{what} {'may not' if may_be else 'cannot'} answer the question well"
        return (
            f"{answer}: {shown} with probability {probability_supported(power)}; ways out: {_listed(power, price)}",
        )
    if power.probability_supported_upper < ENOUGH:
        return (
            f"if the spread is at its upper limit, {what} cannot answer the question well: {shown} with "
            f"probability {probability_supported(power, upper=True)}",
        )
    return ()


def _one_seed(what: str) -> str:
    return f"one seed gives no interval: {what} cannot answer the question"


def _listed(power: PowerStatement, price: SeedPrice | None) -> str:
    ways = [_seeds(power, price)]
    effect = power.detectable_supported
    if effect is not None and power.sesoi < effect <= ROOM:
        asked = rounded_up(effect)
        ways.append(f"a larger effect: {asked} points on every benchmark would be shown (--sesoi {asked})")
    if power.k > 1 and power.critical_t and power.critical_t_alone:
        wider = numbers.fixed(power.critical_t / power.critical_t_alone)
        ways.append(f"fewer treatments: {numbers.word(power.k)} in one family make each interval {wider} times as wide")
    ways += _quieter(power)
    if power.prior_df is not None and power.prior_df < _WELL_KNOWN:
        ways.append(
            f"a pilot: the spread assumed rests on {numbers.counted(power.prior_df, 'degree')} of freedom, and may be "
            "smaller"
        )
    return "; ".join(ways)


def _quieter(power: PowerStatement) -> Iterator[str]:
    """A summary that varies less answers a narrower question with fewer seeds."""
    quietest = min(power.summaries, key=lambda name: power.summaries[name].sd)
    pairs, own = power.summaries[quietest].seeds_needed, power.summaries[power.primary].seeds_needed
    if pairs is not None and (own is None or pairs < own):
        yield (
            f"a quieter primary summary: {quietest} alone takes {pairs:,} pairs, {power.primary} alone "
            f"{'over a million' if own is None else f'{own:,}'} (the claim under every summary gets no easier)"
        )


def _seeds(power: PowerStatement, price: SeedPrice | None) -> str:
    pairs = power.seeds_needed_supported
    if pairs is None:
        return "no number of seeds will do: over a million would be needed"
    limit = min(MOST_SEEDS_ASKED, MOST_RUNS // (price.arms if price else power.k + 1))
    more = f", more than the {limit} that one study may have" if pairs > limit else ""
    return f"more seeds: {about(power)} {priced_pairs(pairs, price)}{more}"
