"""Placebo `random_reward`: rewards that have nothing to do with the answers."""

import numpy as np

from policies.base import Floats, Policy, PolicyParameters, RolloutBatch
from policies.parameter import parameter
from policies.registry import register
from policies.ties import rollout_keys


class RandomRewardParameters(PolicyParameters):
    """The coin."""

    p: float = parameter(0.5, "chance of reward 1", whose="ours", unit="probability", gt=0, lt=1)


@register
class RandomReward(Policy):
    """Trains on a seeded coin: reward 1 with probability p, else 0, (N,), in place of the measured reward.

    The coin of a rollout is fixed by (seed, step, prompt of the step, index of the rollout), and not by its row.

    Source: ours; random rewards are known to move some models all the same (spurious rewards, arXiv:2506.10947). What
    a treatment gains over `baseline` must be more than what this placebo gains.
    """

    name = "random_reward"
    family = "placebo"
    control = "baseline"
    aliases = ("random reward", "random rewards", "coin reward", "随机奖励")
    requires = ("groups", "indices")
    signal = "a seeded coin -> the reward to train on"
    formula = "r = 1 with probability p, else 0"
    source = "ours; cf. arXiv:2506.10947"
    inert_when = "never, as long as groups get both rewards"
    Parameters = RandomRewardParameters

    def rewards(self, batch: RolloutBatch, step: int) -> Floats:
        """(N,) 0 or 1."""
        assert isinstance(self.parameters, RandomRewardParameters)
        draws = rollout_keys(batch, self.seed, step, "random_reward") / 2.0**64
        return np.asarray(draws < self.parameters.p, dtype=np.float64)
