"""The power of a whole design under one assumption on the spread, as used by plans, curves and options."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.plan.analysis import Analysis
from tools.plan.prior import Prior
from tools.statistics.power import one_summary as power
from tools.statistics.power.priors import spread
from tools.statistics.power.simulate import Sample, Simulated, sample

WANTED = 0.8
"""The power to which "seeds needed" and "detectable effect" refer."""


class _Studies:
    """Simulated studies without a true difference, drawn once for each number of pairs, from the same random numbers
    so that searches do not jitter."""

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
    """The power of a design under one assumption on the spread."""

    analysis: Analysis
    sd: NDArray[np.float64]
    """(S,) score points."""
    studies: _Studies
    scale: float
    """`sd` in units of the SDs with which the studies were drawn."""

    @property
    def alpha(self) -> float:
        """Error level of one comparison, alpha / k."""
        return (1.0 - self.analysis.confidence) / self.analysis.family_size

    def simulated(self, n: int, effect: float) -> Simulated | None:
        """Simulates studies with that true difference under every summary; None without covariance or interval."""
        drawn = self.studies.of(n)
        if drawn is None:
            return None
        analysis = self.analysis
        effects, sesois = np.full(len(self.sd), effect), np.array(analysis.sesois())
        return drawn.scaled(self.scale).judged(effects, 1.0 - analysis.confidence, sesois, analysis.family_size)

    @property
    def effect(self) -> float:
        """The true difference on every benchmark for which the study is planned: the primary summary's SESOI."""
        return self.analysis.primary_sesoi

    def bound(self, single: Callable[[float, float], float]) -> float:
        """Returns the Bonferroni bound P(all) >= 1 - sum(1 - P(each)); single: P of a summary from its SD and SESOI."""
        each = zip(self.sd.tolist(), self.analysis.sesois(), strict=True)
        return max(0.0, 1.0 - sum(1.0 - single(sd, sesoi) for sd, sesoi in each))

    def detectable(self, n: int) -> float | None:
        """Returns the effect on every summary with P(`supported`) = 80 %, or an upper bound on it; None for n < 2."""
        if n < 2:
            return None
        drawn = self.studies.of(n)
        if drawn is None:
            return power.smallest_effect(
                lambda effect: self.bound(lambda sd, _: power.power_one_way(n, effect, sd, self.alpha)) >= WANTED
            )
        return drawn.scaled(self.scale).detectable(self.alpha, WANTED)

    def most(self, n: int) -> float:
        """Returns an upper bound on P(`supported`) at SESOI: the smallest power of a single summary."""
        return min(power.power_one_way(n, self.effect, float(sd), self.alpha) for sd in self.sd)

    def supported(self, n: int) -> float:
        """Returns P(`supported`) at SESOI, or its lower bound if the covariance is unknown."""
        found = self.simulated(n, self.effect)
        return self.supported_bound(n) if found is None else found.supported

    def supported_bound(self, n: int) -> float:
        """Returns the lower bound on P(`supported`) at SESOI."""
        return self.bound(lambda sd, _: power.power_one_way(n, self.effect, sd, self.alpha))

    def equivalent(self, n: int) -> float:
        """Returns P(`negative_equivalent`) without any difference, or a lower bound that ignores the rarer verdicts."""
        found = self.simulated(n, 0.0)
        return self.equivalent_bound(n) if found is None else found.verdicts["negative_equivalent"]

    def equivalent_bound(self, n: int) -> float:
        """Returns the lower bound on P(`negative_equivalent`) without any difference."""
        return self.bound(lambda sd, sesoi: power.power_equivalence(n, 0.0, sd, self.alpha, sesoi))


def power_settings(analysis: Analysis, prior: Prior, rng: np.random.Generator) -> tuple[PowerSetting, PowerSetting]:
    """Returns the settings at the prior's SDs and at their one-sided upper 80 % limit; InputError for a bad summary."""
    if analysis.primary not in analysis.summaries:
        raise InputError(
            f"primary summary {analysis.primary!r} is not in the verdict set: {', '.join(analysis.summaries)}"
        )
    known = spread(prior, analysis.summaries)
    worse = 1.0 if prior.df is None else power.upper_sd(1.0, prior.df)
    studies = _Studies(known.covariance, int(rng.integers(2**63)))
    return (PowerSetting(analysis, known.sd, studies, 1.0), PowerSetting(analysis, known.sd * worse, studies, worse))


def seeds_for_supported(setting: PowerSetting) -> int | None:
    """Returns the pairs for P(`supported`) = 80 % at SESOI; None: over a million."""
    single = power.seeds_needed(setting.effect, float(setting.sd.max()), setting.alpha, WANTED)
    return _between(single, setting.supported, setting.supported_bound)


def seeds_for_equivalent(setting: PowerSetting) -> int | None:
    """Returns the pairs for P(`negative_equivalent`) = 80 % without any difference; None: over a million."""
    each = zip(setting.sd.tolist(), setting.analysis.sesois(), strict=True)
    sd, sesoi = max(each, key=lambda one: one[0] / one[1])
    single = power.seeds_for_equivalence(sesoi, sd, setting.alpha, WANTED)
    return _between(single, setting.equivalent, setting.equivalent_bound)


def _between(single: int | None, probability: Callable[[int], float], bound: Callable[[int], float]) -> int | None:
    """The smallest n with that probability over all summaries.

    It is between the pairs that the noisiest summary needs alone and those of the bound: a few simulations suffice.
    """
    if single is None:
        return None
    most = power.smallest(lambda n: bound(n) >= WANTED, low=single)
    if most is None or most == single:
        return most
    return power.smallest(lambda n: probability(n) >= WANTED, low=single, high=most) or most
