"""What a plan can detect before it costs anything: power of one summary, and of the verdict over all of them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.statistics import power
from tools.statistics.paired import critical_t
from tools.statistics.power_model import PowerStatement, SummaryPower
from tools.statistics.priors import Prior
from tools.statistics.simulate import DRAWS, Simulated, detectable_under_all, simulate
from tools.statistics.verdict_model import OverallVerdict
from tools.study.plan import Analysis, StudyPlan

WANTED = 0.8
"""The power that "seeds needed" and "detectable effect" speak of."""


class _Setting(NamedTuple):
    """One assumption on the spread."""

    analysis: Analysis
    sd: NDArray[np.float64]
    """(S,)."""
    covariance: NDArray[np.float64] | None
    entropy: int

    @property
    def alpha(self) -> float:
        """Of one comparison, the family level."""
        return (1.0 - self.analysis.confidence) / self.analysis.family_size

    def simulated(self, n: int, effect: float) -> Simulated | None:
        """None without covariance or interval. The same random numbers at every n, so that searches do not jitter."""
        if self.covariance is None or n < 2:
            return None
        return simulate(
            n,
            np.full(len(self.sd), effect),
            self.covariance,
            1.0 - self.analysis.confidence,
            self.analysis.sesoi,
            np.random.default_rng(self.entropy),
            family_size=self.analysis.family_size,
        )

    def bound(self, single: Callable[[float], float]) -> float:
        """Bonferroni: P(all) >= 1 - sum(1 - P(each)), for a probability that depends on the SD."""
        return max(0.0, 1.0 - sum(1.0 - single(float(sd)) for sd in self.sd))

    def detectable(self, n: int) -> float | None:
        """Effect on every summary with P(`supported`) = 80 %, or one that is large enough; None for n < 2."""
        if n < 2:
            return None
        if self.covariance is None:
            return power.smallest_effect(
                lambda effect: self.bound(lambda sd: power.power_one_way(n, effect, sd, self.alpha)) >= WANTED
            )
        return detectable_under_all(n, self.covariance, self.alpha, np.random.default_rng(self.entropy), WANTED)

    def most(self, n: int) -> float:
        """P(`supported`) at SESOI is no larger than the power of any one summary."""
        return min(power.power_one_way(n, self.analysis.sesoi, float(sd), self.alpha) for sd in self.sd)

    def supported(self, n: int) -> float:
        """P(`supported`) at SESOI, or its lower bound."""
        found = self.simulated(n, self.analysis.sesoi)
        return self.supported_bound(n) if found is None else found.supported

    def supported_bound(self, n: int) -> float:
        """Its lower bound."""
        return self.bound(lambda sd: power.power_one_way(n, self.analysis.sesoi, sd, self.alpha))

    def equivalent(self, n: int) -> float:
        """P(`negative_equivalent`) at no difference, or a lower bound that leaves the rarer verdicts aside."""
        found = self.simulated(n, 0.0)
        return self.equivalent_bound(n) if found is None else found.verdicts["negative_equivalent"]

    def equivalent_bound(self, n: int) -> float:
        """Its lower bound."""
        return self.bound(lambda sd: power.power_equivalence(n, 0.0, sd, self.alpha, self.analysis.sesoi))


def plan_power(plan: StudyPlan, prior: Prior, rng: np.random.Generator) -> PowerStatement:
    """What this plan can detect; `rng` from `tools.statistics.streams.rng_for(plan hash, "power")`."""
    return power_statement(len(plan.seeds), plan.analysis, prior, rng)


def power_statement(n: int, analysis: Analysis, prior: Prior, rng: np.random.Generator) -> PowerStatement:
    """What n pairs can detect under this analysis, if differences vary as the prior says.

    Each simulation is of 20,000 studies. Raises InputError when the primary summary is not in the verdict set, or the
    prior knows nothing about one of its summaries.
    """
    names = list(analysis.summaries)
    if analysis.primary not in names:
        raise InputError(f"primary summary {analysis.primary!r} is not in the verdict set: {', '.join(names)}")
    spread = prior.spread(analysis.summaries)
    worse = power.upper_sd(1.0, prior.df)
    entropy = int(rng.integers(2**63))
    point = _Setting(analysis, spread.sd, spread.covariance, entropy)
    covariance = None if spread.covariance is None else spread.covariance * worse**2
    upper = _Setting(analysis, spread.sd * worse, covariance, entropy)

    summaries = {name: _of_summary(n, point, upper, index) for index, name in enumerate(names)}
    primary = summaries[analysis.primary]
    at_sesoi, at_zero = point.simulated(n, analysis.sesoi), point.simulated(n, 0.0)
    return PowerStatement(
        n=n,
        k=analysis.family_size,
        alpha=round(1.0 - analysis.confidence, 12),
        family_alpha=round(point.alpha, 12),
        sesoi=analysis.sesoi,
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
        by="bound" if point.covariance is None else "simulation",
        draws=None if at_sesoi is None else DRAWS,
        standard_error=None if at_sesoi is None else at_sesoi.standard_error(),
        limiting_summary=min(names, key=lambda name: summaries[name].power),
        detectable_effect=primary.detectable_effect,
        detectable_effect_upper=primary.detectable_effect_upper,
        detectable_supported=point.detectable(n),
        detectable_supported_upper=upper.detectable(n),
        seeds_needed_primary=primary.seeds_needed,
        seeds_needed_supported=_seeds_for_supported(point),
        seeds_needed_supported_upper=_seeds_for_supported(upper),
        seeds_needed_negative_equivalent=_seeds_for_equivalent(point),
        seeds_needed_negative_equivalent_upper=_seeds_for_equivalent(upper),
        verdicts_at_zero=_verdicts(at_zero),
        verdicts_at_sesoi=_verdicts(at_sesoi),
    )


def _of_summary(n: int, point: _Setting, upper: _Setting, index: int) -> SummaryPower:
    sd, sd_upper, alpha, sesoi = float(point.sd[index]), float(upper.sd[index]), point.alpha, point.analysis.sesoi
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


def _seeds_for_supported(setting: _Setting) -> int | None:
    single = power.seeds_needed(setting.analysis.sesoi, float(setting.sd.max()), setting.alpha, WANTED)
    return _between(single, setting.supported, setting.supported_bound)


def _seeds_for_equivalent(setting: _Setting) -> int | None:
    single = power.seeds_for_equivalence(setting.analysis.sesoi, float(setting.sd.max()), setting.alpha, WANTED)
    return _between(single, setting.equivalent, setting.equivalent_bound)


def _between(single: int | None, probability: Callable[[int], float], bound: Callable[[int], float]) -> int | None:
    """Smallest n with that probability over all summaries.

    No fewer pairs than the noisiest summary needs alone, no more than the bound asks for: a few simulations suffice.
    """
    if single is None:
        return None
    most = power.smallest(lambda n: bound(n) >= WANTED, low=single)
    if most is None or most == single:
        return most
    return power.smallest(lambda n: probability(n) >= WANTED, low=single, high=most) or most


def _verdicts(found: Simulated | None) -> dict[OverallVerdict, float] | None:
    return None if found is None else found.verdicts
