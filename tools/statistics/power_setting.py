"""Power of a whole design under one assumption on the spread: the figures that plans, curves and ways out share."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.statistics import power
from tools.statistics.priors import Prior
from tools.statistics.simulate import Sample, Simulated, sample
from tools.study.plan import Analysis

WANTED = 0.8
"""The power that "seeds needed" and "detectable effect" speak of."""


class _Studies:
    """Simulated studies without a true difference, drawn once a number of pairs and with the same random numbers at
    each, so that searches do not jitter."""

    def __init__(self, covariance: NDArray[np.float64] | None, entropy: int) -> None:
        self.covariance = covariance
        self.entropy = entropy
        self.of = cache(self._drawn)

    def _drawn(self, n: int) -> Sample | None:
        """None without covariance or interval."""
        if self.covariance is None or n < 2:
            return None
        return sample(n, self.covariance, np.random.default_rng(self.entropy))


class PowerSetting(NamedTuple):
    """One assumption on the spread."""

    analysis: Analysis
    sd: NDArray[np.float64]
    """(S,)."""
    studies: _Studies
    scale: float
    """`sd` in units of the SDs that the studies were drawn with."""

    @property
    def alpha(self) -> float:
        """Of one comparison, the family level."""
        return (1.0 - self.analysis.confidence) / self.analysis.family_size

    def simulated(self, n: int, effect: float) -> Simulated | None:
        """Studies with that true difference under every summary; None without covariance or interval."""
        drawn = self.studies.of(n)
        if drawn is None:
            return None
        analysis = self.analysis
        effects, sesois = np.full(len(self.sd), effect), np.array(analysis.sesois())
        return drawn.scaled(self.scale).judged(effects, 1.0 - analysis.confidence, sesois, analysis.family_size)

    @property
    def effect(self) -> float:
        """The true difference on every benchmark that the plan is made for: the primary summary's SESOI."""
        return self.analysis.primary_sesoi

    def bound(self, single: Callable[[float, float], float]) -> float:
        """Bonferroni: P(all) >= 1 - sum(1 - P(each)), for a probability that depends on SD and SESOI of a summary."""
        each = zip(self.sd.tolist(), self.analysis.sesois(), strict=True)
        return max(0.0, 1.0 - sum(1.0 - single(sd, sesoi) for sd, sesoi in each))

    def detectable(self, n: int) -> float | None:
        """Effect on every summary with P(`supported`) = 80 %, or one that is large enough; None for n < 2."""
        if n < 2:
            return None
        drawn = self.studies.of(n)
        if drawn is None:
            return power.smallest_effect(
                lambda effect: self.bound(lambda sd, _: power.power_one_way(n, effect, sd, self.alpha)) >= WANTED
            )
        return drawn.scaled(self.scale).detectable(self.alpha, WANTED)

    def most(self, n: int) -> float:
        """P(`supported`) at SESOI is no larger than the power of any one summary."""
        return min(power.power_one_way(n, self.effect, float(sd), self.alpha) for sd in self.sd)

    def supported(self, n: int) -> float:
        """P(`supported`) at SESOI, or its lower bound."""
        found = self.simulated(n, self.effect)
        return self.supported_bound(n) if found is None else found.supported

    def supported_bound(self, n: int) -> float:
        """Its lower bound."""
        return self.bound(lambda sd, _: power.power_one_way(n, self.effect, sd, self.alpha))

    def equivalent(self, n: int) -> float:
        """P(`negative_equivalent`) at no difference, or a lower bound that leaves the rarer verdicts aside."""
        found = self.simulated(n, 0.0)
        return self.equivalent_bound(n) if found is None else found.verdicts["negative_equivalent"]

    def equivalent_bound(self, n: int) -> float:
        """Its lower bound."""
        return self.bound(lambda sd, sesoi: power.power_equivalence(n, 0.0, sd, self.alpha, sesoi))


def power_settings(analysis: Analysis, prior: Prior, rng: np.random.Generator) -> tuple[PowerSetting, PowerSetting]:
    """The spread as the prior says, and at its one-sided upper 80 % limit."""
    if analysis.primary not in analysis.summaries:
        raise InputError(
            f"primary summary {analysis.primary!r} is not in the verdict set: {', '.join(analysis.summaries)}"
        )
    spread = prior.spread(analysis.summaries)
    worse = 1.0 if prior.df is None else power.upper_sd(1.0, prior.df)
    studies = _Studies(spread.covariance, int(rng.integers(2**63)))
    return (
        PowerSetting(analysis, spread.sd, studies, 1.0),
        PowerSetting(analysis, spread.sd * worse, studies, worse),
    )


def seeds_for_supported(setting: PowerSetting) -> int | None:
    """Pairs for P(`supported`) = 80 % at SESOI; None: over a million."""
    single = power.seeds_needed(setting.effect, float(setting.sd.max()), setting.alpha, WANTED)
    return _between(single, setting.supported, setting.supported_bound)


def seeds_for_equivalent(setting: PowerSetting) -> int | None:
    """Pairs for P(`negative_equivalent`) = 80 % when nothing differs; None: over a million."""
    each = zip(setting.sd.tolist(), setting.analysis.sesois(), strict=True)
    sd, sesoi = max(each, key=lambda one: one[0] / one[1])
    single = power.seeds_for_equivalence(sesoi, sd, setting.alpha, WANTED)
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
