"""The power curve: what each number of pairs can detect."""

from collections.abc import Collection

import numpy as np

from policies.model import StrictModel
from tools.plan.analysis import Analysis
from tools.plan.prior import Prior
from tools.statistics.power import one_summary as power
from tools.statistics.power.setting import WANTED, PowerSetting, power_settings


class CurvePoint(StrictModel):
    """What n pairs can detect in one comparison; None if n < 2 gives no interval. Effects are in score points."""

    n: int
    half_width: float | None
    """Expected half-width of the primary summary's family interval."""
    detectable_effect: float | None
    """True difference on the primary summary that is detected with probability 0.80."""
    detectable_supported: float | None
    """True difference on every benchmark at which P(`supported`) is 0.80."""
    detectable_supported_upper: float | None
    """`detectable_supported` at the upper limit of the spread."""
    power_primary: float
    """P(the primary interval excludes zero) at SESOI."""
    probability_supported: float
    """P(`supported`) at SESOI; a lower bound if the covariance of the summaries is unknown."""
    probability_supported_upper: float
    """P(`supported`) at SESOI and the upper limit of the spread."""
    probability_equivalent: float
    """P(`negative_equivalent`) without any difference; a lower bound under the same condition."""


def power_curve(
    pairs: Collection[int], analysis: Analysis, prior: Prior, rng: np.random.Generator
) -> tuple[CurvePoint, ...]:
    """Returns one point for each number of pairs, in increasing order; raises what `power_settings` raises."""
    point, upper = power_settings(analysis, prior, rng)
    sd = float(point.sd[list(analysis.summaries).index(analysis.primary)])
    return tuple(_at(n, sd, point, upper) for n in sorted(set(pairs)))


def _at(n: int, sd: float, point: PowerSetting, upper: PowerSetting) -> CurvePoint:
    return CurvePoint(
        n=n,
        half_width=power.expected_half_width(n, sd, point.alpha),
        detectable_effect=power.detectable_effect(n, sd, point.alpha, WANTED),
        detectable_supported=point.detectable(n),
        detectable_supported_upper=upper.detectable(n),
        power_primary=power.power(n, point.effect, sd, point.alpha),
        probability_supported=point.supported(n),
        probability_supported_upper=upper.supported(n),
        probability_equivalent=point.equivalent(n),
    )
