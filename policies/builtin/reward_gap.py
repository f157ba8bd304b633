"""Policy `reward_gap`: more prompts for the domain that lags behind."""

from policies.base import Floats
from policies.mixing import MixingPolicy
from policies.registry import register
from policies.scorers import gap_to_best


@register
class RewardGap(MixingPolicy):
    """share_d = floor + (1 - D·floor) · softmax_d(gap_d / (spread · temperature)), gap_d = max over domains - r_d.

    r_d: mean over the last `window` steps of domain d's mean reward in a step, (T,) steps by (D,) domains; each step
    counts once. A domain without a rollout in the window counts as the mean of the others' gaps. spread: root of the
    running mean, over about one window, of the variance of the domains' gaps.

    Source and deviations: cf. DoReMi, arXiv:2305.10429, which moves shares by multiplicative weights towards domains
    whose *loss* lies furthest above that of a reference model, for pretraining. The study has no reference: the best
    domain stands in for it, and the softmax has no memory but the window. The floor is the study's (the paper smooths
    with 1e-3 of the uniform mixture). Dividing by the running spread is ours (`normalise=False`: the study's, in which
    a gap of .1 to two equal domains moves a share by 2 points). A domain that cannot be learned keeps the
    largest gap, and most of the prompts, for ever.
    """

    name = "reward_gap"
    aliases = ("reward gap", "reward-gap", "doremi", "doremi-style", "奖励差距")
    requires = ("rewards", "domains")
    signal = "mean reward of the domain below the best one's -> its share of the prompts"
    formula = "share = floor + (1 - D * floor) * softmax((max mean reward - mean reward) / (spread * temperature))"
    source = "cf. DoReMi arXiv:2305.10429"
    inert_when = (
        "in the warm-up; where all domains have the same mean reward; with normalise=False at temperature 1, in most "
        "steps; with one domain, or floor at 1 / D"
    )

    def score(self) -> Floats:
        """(D,) gap to the best domain, in reward."""
        return gap_to_best(self.window.steps, self.window.means)
