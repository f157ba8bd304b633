"""What a plan can and cannot detect, as data; `tools.statistics.plan_power` makes it."""

from typing import Literal

from policies.model import StrictModel
from tools.statistics.verdict_model import OverallVerdict


class SummaryPower(StrictModel):
    """One benchmark summary; everything at the family level. None where n < 2 gives no interval."""

    sd: float
    """Of one seed's paired difference, score points."""
    sd_upper: float
    """One-sided upper 80 % limit of it."""
    power: float
    """P(the interval excludes zero) at a true difference of SESOI."""
    power_upper: float
    """The same at the upper SD."""
    detectable_effect: float | None
    """True difference, score points, seen with 80 %."""
    detectable_effect_upper: float | None
    seeds_needed: int | None
    """Pairs for 80 % at SESOI; None: over a million."""
    seeds_needed_upper: int | None
    half_width: float | None
    """Expected, score points."""
    half_width_upper: float | None


class PowerStatement(StrictModel):
    """Of one comparison of a plan; "at SESOI" means a true difference of SESOI on every benchmark, hence summary."""

    schema_version: int = 1
    n: int
    """Pairs: seeds of the plan."""
    k: int
    """Treatments in the family."""
    alpha: float
    family_alpha: float
    sesoi: float
    primary: str
    critical_t: float | None
    """Standard errors that the family interval reaches to each side; None for n < 2."""
    critical_t_alone: float | None
    """The same for one treatment alone (k = 1)."""
    prior_names: tuple[str, ...]
    prior_source: str
    prior_df: int | None
    """None: the SDs were given as exact, so "upper" ones are the same."""
    summaries: dict[str, SummaryPower]
    power_primary: float
    power_primary_upper: float
    probability_supported: float
    """P(`supported`, in the true direction) at SESOI: what is planned."""
    probability_supported_upper: float
    """The same at the upper SDs."""
    probability_supported_most: float
    """It is no larger: the least power, one way, of a single summary."""
    probability_supported_most_upper: float
    by: Literal["simulation", "bound"]
    """`bound`: the covariance of the summaries is unknown, so what is said of all of them at once (`supported`,
    `negative_equivalent`) is the bound 1 - sum(1 - power) over them: probabilities at least, seeds and effects at
    most what is said."""
    draws: int | None
    """Simulated studies; None without simulation."""
    standard_error: float | None
    """Monte-Carlo error of `probability_supported`."""
    limiting_summary: str
    """The one with the least power at SESOI."""
    detectable_effect: float | None
    """Of the primary summary, seen with 80 %."""
    detectable_effect_upper: float | None
    detectable_supported: float | None
    """True difference on every benchmark, score points, at which P(`supported`) is 80 %."""
    detectable_supported_upper: float | None
    seeds_needed_primary: int | None
    seeds_needed_supported: int | None
    """Pairs for P(`supported`) = 80 % at SESOI. None: over a million."""
    seeds_needed_supported_upper: int | None
    seeds_needed_negative_equivalent: int | None
    """Pairs for P(`negative_equivalent`) = 80 % when nothing differs."""
    seeds_needed_negative_equivalent_upper: int | None
    verdicts_at_zero: dict[OverallVerdict, float] | None
    """Probability of each verdict when nothing differs; None: covariance unknown, or no interval."""
    verdicts_at_sesoi: dict[OverallVerdict, float] | None
