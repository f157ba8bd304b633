"""Policy `maxvar`: train on the rollouts of each prompt whose rewards differ most."""

from policies.parameter import parameter
from policies.registry import register
from policies.selection import FractionChoice, RecomputeByScore, SubsetPolicy


class MaxvarParameters(FractionChoice, RecomputeByScore):
    """How much is kept, and of what the variance is taken."""

    scorer: str = parameter("reward", "name of the number a rollout whose variance counts", whose="the study's")
    actuator: str = parameter("keep_extremes", "name of what keeps them", whose="the study's")


@register
class Maxvar(SubsetPolicy):
    """Keeps in each group of G the m = round(keep_fraction · G) rollouts with the largest variance of reward.

    The best subset of m is always some number of the lowest and the rest of the highest rewards (PODS); all m + 1
    of them are compared. Weights (N,): c or 0, with c such that the mean over tokens that carry gradient is one.
    Equal rewards, and equally good subsets, are drawn with (seed, step). m is rounded as Python does (2 of 5), at least
    one. A group with equal rewards has no advantage: whatever is kept of it is a no-op.

    Source and deviations: PODS, arXiv:2504.13818. The paper draws many rollouts and trains on few, and normalises the
    advantages over the kept subset; the study's default keeps half of an ordinary group and GRPO's advantages over all
    of it. `recompute_advantage=True` gives the paper's (GRPO's formula on the subset: sample sd plus 1e-6).
    """

    name = "maxvar"
    aliases = ("max variance", "max-variance down-sampling", "pods", "最大方差", "方差最大")
    requires = ("rewards", "groups", "advantages", "mask")
    signal = "reward within the group -> the most spread half is kept"
    formula = (
        "w = c if the rollout is in the subset of round(keep_fraction * G) with the largest reward variance, else 0"
    )
    source = "cf. PODS arXiv:2504.13818"
    inert_when = "where no group has both rewards; with keep_fraction=1"
    actuator = "keep_extremes"
    Parameters = MaxvarParameters
