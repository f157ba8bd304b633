"""What a plan can detect, computed before any run: the power of each summary, and of the verdict over all of them."""

import numpy as np

from tools.plan.analysis import Analysis
from tools.plan.prior import Prior
from tools.statistics.paired import critical_t
from tools.statistics.power import one_summary as power
from tools.statistics.power.model import PowerStatement, SummaryPower
from tools.statistics.power.setting import (
    WANTED,
    PowerSetting,
    power_settings,
    seeds_for_equivalent,
    seeds_for_supported,
)
from tools.statistics.power.simulate import DRAWS, Simulated
from tools.statistics.verdict_model import OverallVerdict


def power_statement(n: int, analysis: Analysis, prior: Prior, rng: np.random.Generator) -> PowerStatement:
    """Returns what n pairs can detect under this analysis, if differences have the spread of the prior.

    Each simulation has 20,000 studies. Raises InputError if the primary summary is not in the verdict set, or the prior
    lacks one of its summaries.
    """
    names = list(analysis.summaries)
    point, upper = power_settings(analysis, prior, rng)

    summaries = {name: _of_summary(n, point, upper, index) for index, name in enumerate(names)}
    primary = summaries[analysis.primary]
    at_sesoi, at_zero = point.simulated(n, point.effect), point.simulated(n, 0.0)
    return PowerStatement(
        n=n,
        k=analysis.family_size,
        alpha=round(1.0 - analysis.confidence, 12),
        family_alpha=round(point.alpha, 12),
        sesoi=point.effect,
        primary=analysis.primary,
        critical_t=critical_t(n - 1, 1.0 - point.alpha) if n > 1 else None,
        critical_t_alone=critical_t(n - 1, analysis.confidence) if n > 1 else None,
        prior_names=prior.names,
        prior_source=prior.source,
        prior_df=prior.df,
        summaries=summaries,
        power_primary=primary.power,
        power_primary_upper=primary.power_upper,
        probability_supported=point.supported(n) if at_sesoi is None else at_sesoi.supported,
        probability_supported_upper=upper.supported(n),
        probability_supported_most=point.most(n),
        probability_supported_most_upper=upper.most(n),
        by="bound" if point.studies.covariance is None else "simulation",
        draws=None if at_sesoi is None else DRAWS,
        standard_error=None if at_sesoi is None else at_sesoi.standard_error(),
        limiting_summary=min(names, key=lambda name: summaries[name].power),
        detectable_effect=primary.detectable_effect,
        detectable_effect_upper=primary.detectable_effect_upper,
        detectable_supported=point.detectable(n),
        detectable_supported_upper=upper.detectable(n),
        seeds_needed_primary=primary.seeds_needed,
        seeds_needed_supported=seeds_for_supported(point),
        seeds_needed_supported_upper=seeds_for_supported(upper),
        seeds_needed_negative_equivalent=seeds_for_equivalent(point),
        seeds_needed_negative_equivalent_upper=seeds_for_equivalent(upper),
        verdicts_at_zero=_verdicts(at_zero),
        verdicts_at_sesoi=_verdicts(at_sesoi),
    )


def _of_summary(n: int, point: PowerSetting, upper: PowerSetting, index: int) -> SummaryPower:
    sd, sd_upper, alpha, sesoi = float(point.sd[index]), float(upper.sd[index]), point.alpha, point.effect
    return SummaryPower(
        sd=sd,
        sd_upper=sd_upper,
        power=power.power(n, sesoi, sd, alpha),
        power_upper=power.power(n, sesoi, sd_upper, alpha),
        detectable_effect=power.detectable_effect(n, sd, alpha, WANTED),
        detectable_effect_upper=power.detectable_effect(n, sd_upper, alpha, WANTED),
        seeds_needed=power.seeds_needed(sesoi, sd, alpha, WANTED),
        seeds_needed_upper=power.seeds_needed(sesoi, sd_upper, alpha, WANTED),
        half_width=power.expected_half_width(n, sd, alpha),
        half_width_upper=power.expected_half_width(n, sd_upper, alpha),
    )


def _verdicts(found: Simulated | None) -> dict[OverallVerdict, float] | None:
    return None if found is None else found.verdicts
