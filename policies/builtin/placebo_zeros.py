"""Placebo `placebo_zeros`: no rollout reaches the policy gradient."""

import numpy as np

from policies.base import Floats, Policy, RolloutBatch
from policies.registry import register


@register
class PlaceboZeros(Policy):
    """Weight 0 for every rollout, (N,): the strongest weights there are.

    Source: ours. Parameters then move by what the weights do not touch: the KL term, weight decay and the optimizer's
    momentum; not at all without these. It shows that weights reach the loss, and what a step without rollouts does.
    """

    name = "placebo_zeros"
    family = "placebo"
    control = "baseline"
    aliases = ("placebo zeros", "all-zeros placebo")
    signal = "nothing -> weight 0"
    formula = "w = 0"
    source = "ours"
    inert_when = "never: it takes the whole policy gradient away"

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """(N,) zeros."""
        return np.zeros(len(batch.rewards))
