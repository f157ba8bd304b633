"""Placebo `placebo_ones`: the machinery of weights, with nothing in it."""

import numpy as np

from policies.base import Floats, Policy, RolloutBatch
from policies.registry import register


@register
class PlaceboOnes(Policy):
    """Weight 1 for every rollout, (N,), set and carried to the loss like any policy's.

    Source: ours. It must train as `baseline` does, bit for bit where training is deterministic: what differs is the
    machinery's fault. Its dose is 0.
    """

    name = "placebo_ones"
    family = "placebo"
    control = "baseline"
    aliases = ("placebo ones", "all-ones placebo", "安慰剂")
    signal = "nothing -> weight 1"
    formula = "w = 1"
    source = "ours"
    inert_when = "always: it shows that weighting itself changes nothing"

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """(N,) ones."""
        return np.ones(len(batch.rewards))
