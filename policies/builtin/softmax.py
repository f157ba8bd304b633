"""Policy `softmax`: weights by a softmax of the advantages' size."""

from policies.actuators import ScorerChoice
from policies.registry import register
from policies.reweighting import ReweightingPolicy, SoftmaxParameters


class SoftmaxPolicyParameters(SoftmaxParameters, ScorerChoice):
    """How sharp, by which score."""


@register
class Softmax(ReweightingPolicy):
    """Weights rollout i with softmax_i(mean |A|_i / temperature) over the batch, times a factor for mean one.

    mean |A|_i: over the rollout's tokens that count, and one number where they agree to 1e-5 of the largest; weights
    (N,), mean one over the tokens that carry gradient.

    Source: the DataFlex-RL study; no paper. Ours: the mean is one over tokens *with gradient*.
    """

    name = "softmax"
    aliases = ("softmax weighting", "softmax reweighting", "softmax 加权")
    requires = ("advantages", "mask")
    signal = "mean |A| of the rollout -> its weight"
    formula = "w = c * exp(mean|A| / temperature)"
    source = "the DataFlex-RL study"
    inert_when = "where all rollouts with gradient have the same |A|; nearly, at a high temperature"
    actuator = "softmax"
    Parameters = SoftmaxPolicyParameters
