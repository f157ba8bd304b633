"""Policy `gfpo`: train on the rollouts of each prompt that earn most reward a token, or are shortest."""

from typing import Literal

from policies.parameter import parameter
from policies.registry import register
from policies.selection import KeepCount, RecomputeChoice, SubsetPolicy

_SCORERS = {"efficiency": "reward_per_token", "short": "shortness"}


class GfpoParameters(KeepCount, RecomputeChoice):
    """How many are kept, by what."""

    metric: Literal["efficiency", "short"] = parameter(
        "efficiency", "reward / length, or short: the shortest first", whose="the study's"
    )


@register
class Gfpo(SubsetPolicy):
    """Keeps in each group the k rollouts with the highest reward / length (metric efficiency) or the shortest (short).

    Length: tokens that count. Weights (N,): c or 0, with c such that the mean over tokens that carry gradient is one.
    Ties (all rollouts without reward tie in efficiency) are drawn with (seed, step). k above a group's size keeps all.

    Source and deviations: GFPO, arXiv:2508.09726. The paper draws large groups (8 to 24), keeps k, and normalises the
    advantages over the kept ones (the rest get 0); the study's default keeps 3 of 5 and GRPO's advantages over all 5.
    `recompute_advantage=True` gives the paper's, except in a step in which no kept rollout would carry gradient: that
    one trains on GRPO's advantages. The paper's adaptive k by difficulty is not here.
    """

    name = "gfpo"
    aliases = ("group filtered policy optimization", "reward per token", "保留较短的回答")
    requires = ("rewards", "groups", "advantages", "mask")
    signal = "reward / length within the group -> the k highest are kept"
    formula = "w = c if reward / length is among the k highest of the group, else 0 (metric=short: 1 / length)"
    source = "cf. GFPO arXiv:2508.09726"
    inert_when = "where k reaches the group's size, and in groups with equal rewards"
    actuator = "keep_best_of_group"
    Parameters = GfpoParameters

    def scorer_name(self) -> str:
        """By the metric."""
        assert isinstance(self.parameters, GfpoParameters)
        return _SCORERS[self.parameters.metric]
