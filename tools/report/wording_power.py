"""Every claim about what a plan can detect, what it cannot, and what more would cost."""

from tools.report import numbers
from tools.report.claim import Claim
from tools.report.wording_study import hours
from tools.statistics.power_model import PowerStatement
from tools.study.plan import StudyPlan


def plan_claims(plan: StudyPlan, power: PowerStatement, hours_per_run: float) -> tuple[Claim, ...]:
    """Claims that a plan can make before it runs, and a report after it; ids start with `plan.`."""
    texts = {
        "detectable": detectable_sentence(power),
        "supported": supported_sentence(power),
        "needed_supported": needed_supported_sentence(plan, power, hours_per_run),
        "needed_equivalent": needed_equivalent_sentence(plan, power, hours_per_run),
        "spread": spread_sentence(power),
    }
    return tuple(Claim(id=f"plan.{key}", text=sentence) for key, sentence in texts.items())


def detectable_sentence(power: PowerStatement) -> str:
    """The true difference on the primary summary that this many seeds see with 80 %."""
    pairs = f"n = {power.n} seed {'pair' if power.n == 1 else 'pairs'}"
    if power.detectable_effect is None:
        return f"With {pairs} there is no interval: this plan can detect nothing, however large."
    upper = numbers.fixed(power.detectable_effect_upper)
    return (
        f"With {pairs} and a family of {power.k}, a true difference of "
        f"{numbers.fixed(power.detectable_effect)} points on {power.primary} is seen with probability 0.80 "
        f"({upper} points if the spread is at its upper limit)."
    )


def supported_sentence(power: PowerStatement) -> str:
    """P(`supported`): the claim under every summary, which is what the study is for."""
    sesoi = numbers.points(power.sesoi)
    if power.probability_supported_by == "no interval":
        return f"A true difference of {sesoi} on every benchmark could not be shown."
    everywhere = f"A true difference of {sesoi} on every benchmark would be shown under every summary with probability"
    alone = f"and on {power.primary} alone with {probability(power.power_primary)}; {power.limiting_summary} limits it."
    if power.probability_supported_by == "lower bound":
        bound, lower = (
            numbers.fixed(value) for value in (power.probability_supported, power.probability_supported_upper)
        )
        return (
            f"{everywhere} at least {bound} (a lower bound, since it is not known how the summaries vary together; "
            f"{lower} if the spread is at its upper limit), {alone}"
        )
    upper = probability(power.probability_supported_upper)
    return (
        f"{everywhere} {probability(power.probability_supported)} ({upper} if the spread is at its upper limit), "
        f"{alone}{_draws(power)}"
    )


def _draws(power: PowerStatement) -> str:
    if power.draws is None or power.standard_error is None:
        return ""
    return f" From {power.draws:,} simulated studies, Monte-Carlo error {numbers.fixed(power.standard_error, 4)}."


def needed_supported_sentence(plan: StudyPlan, power: PowerStatement, hours_per_run: float) -> str:
    """Pairs, runs and cost to see the smallest effect of interest under every summary."""
    cost = _pairs(plan, power.seeds_needed_supported, hours_per_run)
    upper = power.seeds_needed_supported_upper
    at_upper = "over a million" if upper is None else f"{upper:,}"
    more = "at most about" if power.probability_supported_by == "lower bound" else "about"
    return (
        f"To see {numbers.points(power.sesoi)} under every summary with probability 0.80: {more} {cost} "
        f"({at_upper} pairs if the spread is at its upper limit)."
    )


def needed_equivalent_sentence(plan: StudyPlan, power: PowerStatement, hours_per_run: float) -> str:
    """Pairs, runs and cost to show equivalence when nothing differs."""
    cost = _pairs(plan, power.seeds_needed_negative_equivalent, hours_per_run)
    return (
        f"To show equivalence within {numbers.points(power.sesoi)} under every summary with probability 0.80, if the "
        f"arms do not differ: about {cost}."
    )


def spread_sentence(power: PowerStatement) -> str:
    """Which spread all this assumes, and how well it is known."""
    primary = power.summaries[power.primary]
    return (
        f"Assumed spread of paired differences on {power.primary}: SD {numbers.fixed(primary.sd)} points, upper "
        f"80 % limit {numbers.fixed(primary.sd_upper)}, on {power.prior_df} degrees of freedom. "
        f"Source: {power.prior_source}."
    )


def probability(value: float) -> str:
    """Two decimals; `below 0.01` and `above 0.99` at the ends."""
    if value < 0.005:
        return "below 0.01"
    return "above 0.99" if value > 0.995 else numbers.fixed(value)


def _pairs(plan: StudyPlan, pairs: int | None, hours_per_run: float) -> str:
    if pairs is None:
        return "over a million pairs"
    runs = pairs * len(plan.arms)
    return f"{pairs:,} pairs, {runs:,} runs, {hours(runs * hours_per_run, plan.recipe)} at {_each(hours_per_run)} a run"


def _each(hours_per_run: float) -> str:
    return f"{hours_per_run:.3g}"
