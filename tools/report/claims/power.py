"""Every claim about what a plan can and cannot detect, and what a larger one would cost."""

from collections.abc import Sequence

from tools.plan.cost import SeedPrice, hours
from tools.report.claims.facts import Claim
from tools.statistics.power.model import PowerStatement
from tools.statistics.verdict_model import Comparison
from tools.text import numbers

ROOM = 50.0
"""Score points. No arm's score leaves room for larger differences on both sides, so none is reported as detectable."""


def plan_claims(power: PowerStatement, price: SeedPrice | None) -> tuple[Claim, ...]:
    """Returns the claims that a plan makes before it runs, and its report afterwards; ids start with `plan.`.

    price: prices the pairs that would be needed; None where it is not known.
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
    """Returns the true difference on the primary summary that this many seeds detect with probability 0.80."""
    plan = f"With n = {power.n} seed {'pair' if power.n == 1 else 'pairs'}"
    effect, upper = power.detectable_effect, power.detectable_effect_upper
    if effect is None or upper is None:
        return f"{plan} there is no interval: this plan cannot detect a difference of any size."
    plan += f" and a family of {power.k}"
    if effect > ROOM:
        return (
            f"{plan}, not even {ROOM:.0f} points on {power.primary}, the most that scores from 0 to 100 leave room for "
            "on both sides, are detected with probability 0.80."
        )
    size = f"{effect_points(effect)} on {power.primary}{_times(effect / power.sesoi)}"
    at_upper = _at_upper(power, effect_points(upper))
    return f"{plan}, a true difference of {size} is detected with probability 0.80{at_upper}."


def _at_upper(power: PowerStatement, value: str) -> str:
    """Returns ` (2.28 points if the spread is at its upper limit)`; empty where the spread is taken as exact."""
    return "" if power.prior_df is None else f" ({value} if the spread is at its upper limit)"


def _times(ratio: float) -> str:
    if ratio <= 1:
        return ""
    return f", {numbers.fixed(ratio, 1 if ratio < 10 else 0)} times the smallest effect of interest,"


def supported_sentence(power: PowerStatement) -> str:
    """Returns P(`supported`), the probability of the claim under every summary, which is the aim of the study."""
    sesoi = numbers.points(power.sesoi)
    if power.n < 2:
        return f"A true difference of {sesoi} on every benchmark could not be detected."
    doubts = []
    if power.prior_df is not None:
        doubts.append(f"{probability_supported(power, upper=True)} if the spread is at its upper limit")
    if power.by == "bound":
        doubts.append("bounds, since the covariance of the summaries is unknown")
    beside = f" ({'; '.join(doubts)})" if doubts else ""
    return (
        f"A true difference of {sesoi} on every benchmark would be detected under every summary with probability "
        f"{probability_supported(power)}{beside}; on {power.primary} alone the interval would exclude zero with "
        f"probability {probability(power.power_primary)}{_limit(power)}.{_draws(power)}"
    )


def _limit(power: PowerStatement) -> str:
    """Returns the summary with the least power; empty where all have the same."""
    every = [one.power for one in power.summaries.values()]
    return f"; {power.limiting_summary} is the limiting summary" if min(every) < max(every) else ""


def probability_supported(power: PowerStatement, *, upper: bool = False) -> str:
    """Returns `0.35`, or bounds where the covariance is unknown: `at most 0.30`, `at least 0.42 and at most 0.78`."""
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
    return f" Estimated from {power.draws:,} simulated studies, Monte Carlo error {error}."


def family_cost_sentence(power: PowerStatement) -> str:
    """Returns how much several treatments widen each interval; empty for one treatment."""
    if power.k == 1 or power.critical_t is None or power.critical_t_alone is None:
        return ""
    return (
        f"{numbers.capital(numbers.counted(power.k, 'treatment'))} share the error rate: at n = {power.n} each "
        f"interval extends {numbers.fixed(power.critical_t)} standard errors to either side, compared with "
        f"{numbers.fixed(power.critical_t_alone)} for one treatment alone."
    )


def needed_supported_sentence(power: PowerStatement, price: SeedPrice | None) -> str:
    """Returns the pairs, runs and cost needed to detect the smallest effect of interest under every summary."""
    needed = _needed(power, power.seeds_needed_supported, power.seeds_needed_supported_upper, price)
    return f"To detect {numbers.points(power.sesoi)} under every summary with probability 0.80: {needed}."


def needed_equivalent_sentence(power: PowerStatement, price: SeedPrice | None) -> str:
    """Returns the pairs, runs and cost needed to show equivalence when the arms do not differ."""
    needed = _needed(power, power.seeds_needed_negative_equivalent, power.seeds_needed_negative_equivalent_upper, price)
    return (
        f"To show equivalence within {numbers.points(power.sesoi)} under every summary with probability 0.80, if the "
        f"arms do not differ: {needed}."
    )


def spread_sentence(power: PowerStatement) -> str:
    """Returns the spread that the power figures assume, and how well it is known."""
    primary = power.summaries[power.primary]
    alike = len(power.summaries) > 1 and len({one.sd for one in power.summaries.values()}) == 1
    where = "(the same under every summary)" if alike else f"on {power.primary}"
    if power.prior_df is None:
        return (
            f"Assumed spread of paired differences {where}: SD {numbers.fixed(primary.sd)} points, taken as "
            f"exact. Source: {power.prior_source}."
        )
    return (
        f"Assumed spread of paired differences {where}: SD {numbers.fixed(primary.sd)} points, upper "
        f"80 % limit {numbers.fixed(primary.sd_upper)}, with {numbers.counted(power.prior_df, 'degree')} of freedom. "
        f"Source: {power.prior_source}."
    )


def seen_spread_sentence(power: PowerStatement, comparisons: Sequence[Comparison]) -> str:
    """Returns the spread estimated in the study itself; empty where no two pairs are complete."""
    valid = [one for one in comparisons if one.verdict != "invalid_data" and power.primary in one.summaries]
    seen = [
        f"{numbers.fixed(spread)} points for {one.treatment} - {one.control} (n = {one.summaries[power.primary].n})"
        for one in valid
        if (spread := one.summaries[power.primary].sd) is not None
    ]
    return f"In this study the SD on {power.primary} is {', '.join(seen)}." if seen else ""


def probability(value: float) -> str:
    """Formats a probability with two decimals; `below 0.01` and `above 0.99` at the ends."""
    if value < 0.005:
        return "below 0.01"
    return "above 0.99" if value > 0.995 else numbers.fixed(value)


def effect_points(value: float) -> str:
    """Formats an effect: `2.28 points`, `12.1 points`; a bound where scores leave no room for it."""
    if value > ROOM:
        return f"over {ROOM:.0f} points"
    return f"{numbers.fixed(value, 2 if value < 10 else 1)} points"


def about(power: PowerStatement) -> str:
    """Returns how exact a number of pairs, or an effect, under every summary is: `about` or `at most`."""
    return "at most" if power.by == "bound" else "about"


def priced_pairs(pairs: int, price: SeedPrice | None) -> str:
    """Formats `46 pairs`, with a price `46 pairs, 92 runs, 1,472 GPU-hours at 16 a run`."""
    counted = f"{pairs:,} pairs"
    if price is None:
        return counted
    runs = pairs * price.arms
    cost = hours(runs * price.device_hours_per_run, price.unit)
    return f"{counted}, {runs:,} runs, {cost} at {price.device_hours_per_run:.3g} a run"


def _needed(power: PowerStatement, pairs: int | None, upper: int | None, price: SeedPrice | None) -> str:
    if pairs is None:
        return "over a million pairs"
    at_upper = "over a million pairs" if upper is None else f"{upper:,} pairs"
    return f"{about(power)} {priced_pairs(pairs, price)}{_at_upper(power, at_upper)}"
