"""Every claim about what a plan can detect, what it cannot, and what more would cost."""

from collections.abc import Sequence

from tools.report import numbers
from tools.report.claim import Claim
from tools.statistics.power_model import PowerStatement
from tools.statistics.verdict_model import Comparison
from tools.study.cost import SeedPrice, hours

ROOM = 50.0
"""Score points. No arm's score leaves room for a larger difference on both sides, so no plan is said to detect one."""


def plan_claims(power: PowerStatement, price: SeedPrice | None) -> tuple[Claim, ...]:
    """Claims that a plan can make before it runs, and a report after it; ids start with `plan.`.

    price: what the pairs that it would take are told with; None where it is not known.
    """
    texts = {
        "detectable": detectable_sentence(power),
        "supported": supported_sentence(power),
        "family": family_cost_sentence(power),
        "needed_supported": needed_supported_sentence(power, price),
        "needed_equivalent": needed_equivalent_sentence(power, price),
        "spread": spread_sentence(power),
    }
    return tuple(Claim(id=f"plan.{key}", text=sentence) for key, sentence in texts.items() if sentence)


def detectable_sentence(power: PowerStatement) -> str:
    """The true difference on the primary summary that this many seeds see with 80 %."""
    plan = f"With n = {power.n} seed {'pair' if power.n == 1 else 'pairs'}"
    effect, upper = power.detectable_effect, power.detectable_effect_upper
    if effect is None or upper is None:
        return f"{plan} there is no interval: this plan can detect nothing, however large."
    plan += f" and a family of {power.k}"
    if effect > ROOM:
        return (
            f"{plan}, not even {ROOM:.0f} points on {power.primary}, the most that scores of 0 to 100 leave room for "
            "on both sides, are seen with probability 0.80."
        )
    size = f"{effect_points(effect)} on {power.primary}{_times(effect / power.sesoi)}"
    return f"{plan}, a true difference of {size} is seen with probability 0.80{_at_upper(power, effect_points(upper))}."


def _at_upper(power: PowerStatement, told: str) -> str:
    """` (2.28 points if the spread is at its upper limit)`; nothing where the spread is taken as exact."""
    return "" if power.prior_df is None else f" ({told} if the spread is at its upper limit)"


def _times(ratio: float) -> str:
    if ratio <= 1:
        return ""
    return f", {numbers.fixed(ratio, 1 if ratio < 10 else 0)} times the smallest effect of interest,"


def supported_sentence(power: PowerStatement) -> str:
    """P(`supported`): the claim under every summary, which is what the study is for."""
    sesoi = numbers.points(power.sesoi)
    if power.n < 2:
        return f"A true difference of {sesoi} on every benchmark could not be shown."
    doubts = []
    if power.prior_df is not None:
        doubts.append(f"{probability_supported(power, upper=True)} if the spread is at its upper limit")
    if power.by == "bound":
        doubts.append("bounds, since it is not known how the summaries vary together")
    beside = f" ({'; '.join(doubts)})" if doubts else ""
    return (
        f"A true difference of {sesoi} on every benchmark would be shown under every summary with probability "
        f"{probability_supported(power)}{beside}; on {power.primary} alone the interval would exclude zero with "
        f"{probability(power.power_primary)}{_limit(power)}.{_draws(power)}"
    )


def _limit(power: PowerStatement) -> str:
    """Nothing where no summary has less power than another."""
    every = [one.power for one in power.summaries.values()]
    return f"; {power.limiting_summary} limits it" if min(every) < max(every) else ""


def probability_supported(power: PowerStatement, *, upper: bool = False) -> str:
    """`0.35`; where the covariance is unknown, what is known: `at most 0.30`, `at least 0.42 and at most 0.78`."""
    low = power.probability_supported_upper if upper else power.probability_supported
    if power.by == "simulation":
        return probability(low)
    most = power.probability_supported_most_upper if upper else power.probability_supported_most
    bounds = [f"at least {probability(low)}"] if low >= 0.005 else []
    if most <= 0.995 or not bounds:
        bounds.append(f"at most {probability(most)}")
    return " and ".join(bounds)


def _draws(power: PowerStatement) -> str:
    if power.draws is None or not power.standard_error:
        return ""
    error = numbers.fixed(power.standard_error, 4) if power.standard_error >= 5e-5 else "below 0.0001"
    return f" From {power.draws:,} simulated studies, Monte-Carlo error {error}."


def family_cost_sentence(power: PowerStatement) -> str:
    """What several treatments cost each of them; empty for one."""
    if power.k == 1 or power.critical_t is None or power.critical_t_alone is None:
        return ""
    return (
        f"{numbers.capital(numbers.counted(power.k, 'treatment'))} share the error rate: at n = {power.n} each "
        f"interval reaches {numbers.fixed(power.critical_t)} standard errors to either side, and would reach "
        f"{numbers.fixed(power.critical_t_alone)} for one treatment alone."
    )


def needed_supported_sentence(power: PowerStatement, price: SeedPrice | None) -> str:
    """Pairs, runs and cost to see the smallest effect of interest under every summary."""
    needed = _needed(power, power.seeds_needed_supported, power.seeds_needed_supported_upper, price)
    return f"To see {numbers.points(power.sesoi)} under every summary with probability 0.80: {needed}."


def needed_equivalent_sentence(power: PowerStatement, price: SeedPrice | None) -> str:
    """Pairs, runs and cost to show equivalence when nothing differs."""
    needed = _needed(power, power.seeds_needed_negative_equivalent, power.seeds_needed_negative_equivalent_upper, price)
    return (
        f"To show equivalence within {numbers.points(power.sesoi)} under every summary with probability 0.80, if the "
        f"arms do not differ: {needed}."
    )


def spread_sentence(power: PowerStatement) -> str:
    """Which spread all this assumes, and how well it is known."""
    primary = power.summaries[power.primary]
    alike = len(power.summaries) > 1 and len({one.sd for one in power.summaries.values()}) == 1
    where = "under every summary alike" if alike else f"on {power.primary}"
    if power.prior_df is None:
        return (
            f"Assumed spread of paired differences {where}: SD {numbers.fixed(primary.sd)} points, taken as "
            f"exact. Source: {power.prior_source}."
        )
    return (
        f"Assumed spread of paired differences {where}: SD {numbers.fixed(primary.sd)} points, upper "
        f"80 % limit {numbers.fixed(primary.sd_upper)}, on {numbers.counted(power.prior_df, 'degree')} of freedom. "
        f"Source: {power.prior_source}."
    )


def seen_spread_sentence(power: PowerStatement, comparisons: Sequence[Comparison]) -> str:
    """The spread that the study itself shows, beside the assumed one; empty where no two pairs are in."""
    valid = [one for one in comparisons if one.verdict != "invalid_data" and power.primary in one.summaries]
    seen = [
        f"{numbers.fixed(spread)} points for {one.treatment} - {one.control} (n = {one.summaries[power.primary].n})"
        for one in valid
        if (spread := one.summaries[power.primary].sd) is not None
    ]
    return f"In this study the SD on {power.primary} is {', '.join(seen)}." if seen else ""


def probability(value: float) -> str:
    """Two decimals; `below 0.01` and `above 0.99` at the ends."""
    if value < 0.005:
        return "below 0.01"
    return "above 0.99" if value > 0.995 else numbers.fixed(value)


def effect_points(value: float) -> str:
    """`2.28 points`, `12.1 points`; what scores leave no room for is told as a bound."""
    if value > ROOM:
        return f"over {ROOM:.0f} points"
    return f"{numbers.fixed(value, 2 if value < 10 else 1)} points"


def about(power: PowerStatement) -> str:
    """How exact a number of pairs, or an effect, is that holds under every summary."""
    return "at most" if power.by == "bound" else "about"


def priced_pairs(pairs: int, price: SeedPrice | None) -> str:
    """`46 pairs`; with a price `46 pairs, 92 runs, 1,472 GPU-hours at 16 a run`."""
    told = f"{pairs:,} pairs"
    if price is None:
        return told
    runs = pairs * price.arms
    cost = hours(runs * price.device_hours_per_run, price.unit)
    return f"{told}, {runs:,} runs, {cost} at {price.device_hours_per_run:.3g} a run"


def _needed(power: PowerStatement, pairs: int | None, upper: int | None, price: SeedPrice | None) -> str:
    if pairs is None:
        return "over a million pairs"
    at_upper = "over a million pairs" if upper is None else f"{upper:,} pairs"
    return f"{about(power)} {priced_pairs(pairs, price)}{_at_upper(power, at_upper)}"
