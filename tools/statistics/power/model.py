"""What a plan can and cannot detect, as data; `tools.statistics.power.statement` computes it."""

from typing import Literal

from policies.model import StrictModel
from tools.statistics.verdict_model import OverallVerdict


class SummaryPower(StrictModel):
    """The power of one benchmark summary, all at the family level; None if n < 2 gives no interval."""

    sd: float
    """SD of one seed's paired difference, score points."""
    sd_upper: float
    """One-sided upper 80 % limit of the SD."""
    power: float
    """P(the interval excludes zero) at a true difference of SESOI."""
    power_upper: float
    """The same power at the upper SD."""
    detectable_effect: float | None
    """True difference, score points, detected with 80 % power."""
    detectable_effect_upper: float | None
    seeds_needed: int | None
    """Pairs for 80 % power at SESOI; None: over a million."""
    seeds_needed_upper: int | None
    half_width: float | None
    """Expected half-width of the interval, score points."""
    half_width_upper: float | None


class PowerStatement(StrictModel):
    """The power of one comparison; "at SESOI" means a true difference of SESOI on every benchmark, hence summary."""

    schema_version: int = 1
    n: int
    """Number of pairs: seeds of the plan."""
    k: int
    """Number of treatments in the family."""
    alpha: float
    family_alpha: float
    sesoi: float
    primary: str
    critical_t: float | None
    """Half-width of the family interval in standard errors; None for n < 2."""
    critical_t_alone: float | None
    """The same for one treatment alone (k = 1)."""
    prior_names: tuple[str, ...]
    prior_source: str
    prior_df: int | None
    """None: the SDs were given as exact, so the "upper" ones are equal to them."""
    summaries: dict[str, SummaryPower]
    power_primary: float
    power_primary_upper: float
    probability_supported: float
    """P(`supported`, in the true direction) at SESOI, for which the study is planned."""
    probability_supported_upper: float
    """The same at the upper SDs."""
    probability_supported_most: float
    """Upper bound on it: the smallest one-directional power of a single summary."""
    probability_supported_most_upper: float
    by: Literal["simulation", "bound"]
    """`bound`: the covariance of the summaries is unknown, so statements about all of them (`supported`,
    `negative_equivalent`) use the bound 1 - sum(1 - power): true probabilities are at least, seeds and effects at most,
    as stated."""
    draws: int | None
    """Number of simulated studies; None without simulation."""
    standard_error: float | None
    """Monte-Carlo error of `probability_supported`."""
    limiting_summary: str
    """The summary with the least power at SESOI."""
    detectable_effect: float | None
    """True difference on the primary summary, score points, detected with 80 % power."""
    detectable_effect_upper: float | None
    detectable_supported: float | None
    """True difference on every benchmark, score points, at which P(`supported`) is 80 %."""
    detectable_supported_upper: float | None
    seeds_needed_primary: int | None
    seeds_needed_supported: int | None
    """Pairs for P(`supported`) = 80 % at SESOI. None: over a million."""
    seeds_needed_supported_upper: int | None
    seeds_needed_negative_equivalent: int | None
    """Pairs for P(`negative_equivalent`) = 80 % without any difference."""
    seeds_needed_negative_equivalent_upper: int | None
    verdicts_at_zero: dict[OverallVerdict, float] | None
    """Probability of each verdict without any difference; None: covariance unknown, or no interval."""
    verdicts_at_sesoi: dict[OverallVerdict, float] | None
