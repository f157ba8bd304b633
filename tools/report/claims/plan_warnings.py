"""Warnings about a plan before it runs, with options: shown to the person who is asked to approve it."""

from collections.abc import Iterator

from tools.design.seeds import MOST_RUNS, MOST_SEEDS_ASKED
from tools.plan.cost import SeedPrice
from tools.plan.study_plan import StudyPlan
from tools.report.claims.power import ROOM, about, priced_pairs, probability_supported
from tools.statistics.power.model import PowerStatement
from tools.text import numbers
from tools.text.numbers import rounded_up

ENOUGH = 0.8
"""P(`supported`) below which a plan is called underpowered."""
_WELL_KNOWN = 6
"""From this many degrees of freedom on, a spread's upper limit is below 1.5 times the spread: a pilot adds little."""


def plan_warnings(plan: StudyPlan, power: PowerStatement | None, price: SeedPrice) -> tuple[str, ...]:
    """Returns why this plan cannot answer its question, each reason with its options; empty when it can."""
    if not plan.gives_verdict:
        return (*_idle(plan), *_no_spread(plan))
    return (*_idle(plan), *_too_small(plan, power, price))


def _no_spread(plan: StudyPlan) -> Iterator[str]:
    if len(plan.seeds) < 2:
        yield "one pair gives no estimate of the spread. Options: at least two pairs, preferably five or more"


def _idle(plan: StudyPlan) -> Iterator[str]:
    """Yields a warning for each treatment that warms up for half the steps or longer."""
    steps = plan.recipe.steps
    for arm in plan.treatments:
        warmup = arm.policy.parameters.get("warmup", 0)
        if isinstance(warmup, int) and 2 * warmup >= steps:
            when = f"in {min(warmup, steps)} of the {steps} steps" if warmup < steps else f"in any of the {steps} steps"
            yield f"{arm.id} does not act {when}: its warm-up is {warmup} steps. Options: more steps; a shorter warm-up"


def _too_small(plan: StudyPlan, power: PowerStatement | None, price: SeedPrice) -> tuple[str, ...]:
    what = "this plan" if plan.budget_device_hours is None else "a plan within this budget"
    if power is not None:
        return shortfalls(power, price, what)
    unknown = f"the spread on {plan.recipe.name} with {plan.recipe.model} is unknown"
    if len(plan.seeds) > 1:
        return (f"{unknown}, and so is what the plan can detect; a study of a few seeds would estimate the spread",)
    return (f"{_one_seed(what)}; {unknown}",)


def shortfalls(power: PowerStatement, price: SeedPrice | None, what: str) -> tuple[str, ...]:
    """Returns why `what` ("this plan") cannot answer the question, each reason with its options; empty if it can.

    price: None where it is not known.
    """
    if power.n < 2:
        return (f"{_one_seed(what)}. Options: {_listed(power, price)}",)
    detected = (
        f"a true difference of {numbers.points(power.sesoi)} on every benchmark would be detected under every summary"
    )
    if power.probability_supported < ENOUGH:
        may_be = power.by == "bound" and power.probability_supported_most >= ENOUGH
        return (
            f"{what} {'may be' if may_be else 'is'} underpowered: {detected} with probability "
            f"{probability_supported(power)}. Options: {_listed(power, price)}",
        )
    if power.probability_supported_upper < ENOUGH:
        return (
            f"if the spread is at its upper limit, {what} is underpowered: {detected} with probability "
            f"{probability_supported(power, upper=True)}",
        )
    return ()


def _one_seed(what: str) -> str:
    return f"one seed gives no interval: {what} cannot answer the question"


def _listed(power: PowerStatement, price: SeedPrice | None) -> str:
    ways = [_seeds(power, price)]
    effect = power.detectable_supported
    if effect is not None and power.sesoi < effect <= ROOM:
        asked = rounded_up(effect)
        ways.append(f"a larger effect: {asked} points on every benchmark would be detected (--sesoi {asked})")
    if power.k > 1 and power.critical_t and power.critical_t_alone:
        wider = numbers.fixed(power.critical_t / power.critical_t_alone)
        ways.append(f"fewer treatments: a family of {numbers.word(power.k)} makes each interval {wider} times as wide")
    ways += _quieter(power)
    if power.prior_df is not None and power.prior_df < _WELL_KNOWN:
        ways.append(
            f"a pilot: the assumed spread rests on {numbers.counted(power.prior_df, 'degree')} of freedom; the true "
            "spread may be smaller"
        )
    return "; ".join(ways)


def _quieter(power: PowerStatement) -> Iterator[str]:
    """Yields the option of a less variable primary summary, which answers a narrower question with fewer seeds."""
    quietest = min(power.summaries, key=lambda name: power.summaries[name].sd)
    pairs, own = power.summaries[quietest].seeds_needed, power.summaries[power.primary].seeds_needed
    if pairs is not None and (own is None or pairs < own):
        yield (
            f"a less variable primary summary: {quietest} alone needs {pairs:,} pairs, {power.primary} alone "
            f"{'over a million' if own is None else f'{own:,}'} (the claim under every summary gets no easier)"
        )


def _seeds(power: PowerStatement, price: SeedPrice | None) -> str:
    pairs = power.seeds_needed_supported
    if pairs is None:
        return "more seeds are not an option: over a million would be needed"
    limit = min(MOST_SEEDS_ASKED, MOST_RUNS // (price.arms if price else power.k + 1))
    more = f", more than the {limit} that one study may have" if pairs > limit else ""
    return f"more seeds: {about(power)} {priced_pairs(pairs, price)}{more}"
