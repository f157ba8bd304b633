"""Policy `difffilter`: train on prompts that are neither too easy nor too hard."""

import numpy as np
from numpy.typing import NDArray

from policies.base import RolloutBatch
from policies.parameter import parameter
from policies.registry import register
from policies.selection import KeepBand, SelectionPolicy


class DifffilterParameters(KeepBand):
    """Which solve rates are kept, and what happens to the place of the others."""

    refill: bool = parameter(
        False,
        "draw fresh prompts in place of the groups that are dropped, as DAPO does; it rolls out more than its control, "
        "which the plan must match by total rollouts or GPU-hours",
        whose="the study's",
    )
    refill_limit: int = parameter(
        3, "most draws of fresh prompts in a step, with refill", whose="ours", unit="draws", ge=1, le=20
    )

    @property
    def refill_rounds(self) -> int:
        """`refill_limit`, or 0 without refill."""
        return self.refill_limit if self.refill else 0


@register
class Difffilter(SelectionPolicy):
    """Keeps the groups with low < p < high, p the share of a group's rollouts with reward > .5.

    Weights (N,): c for the rollouts of kept groups, else 0, with c such that the mean over tokens that carry gradient
    is one. At 5 rollouts a prompt the defaults keep 2/5 and 3/5 only. A step that would keep no rollout with gradient
    keeps everything.

    Sources and deviations. The study's default: strict bounds .2 and .8, no refill. DAPO (arXiv:2503.14476, dynamic
    sampling) drops only p = 0 and p = 1, which carry no gradient anyway (low=0, high=1), and goes on sampling until the
    batch is full (refill=True; `refill_limit` bounds it, ours). Online difficulty filtering (arXiv:2504.03380) keeps
    low <= p <= high (inclusive=True) and also fills up the batch. Without refill, low=0 and high=1 is a no-op.
    """

    name = "difffilter"
    aliases = ("difficulty filter", "difficulty filtering", "dapo filter", "dynamic sampling", "难度过滤", "动态采样")
    requires = ("rewards", "groups", "advantages")
    signal = "solve rate of the group -> groups inside a band are kept"
    formula = "w = c if low < p < high, else 0; p = share of the group's rollouts with reward > .5"
    source = "cf. DAPO arXiv:2503.14476; arXiv:2504.03380"
    inert_when = (
        "where every group with gradient lies inside the band (low=0, high=1; at 5 rollouts also inclusive=True), or "
        "none does: then everything is kept"
    )
    scorer = "solve_rate"
    actuator = "keep_band"
    Parameters = DifffilterParameters

    def refused(self, batch: RolloutBatch, step: int) -> NDArray[np.bool_] | None:
        """With refill: the groups outside the band, (N,)."""
        return ~self.act(batch, step) if self.parameters.refill_rounds else None
