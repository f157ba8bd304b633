"""Policy `ar`: advantage reweighting, which damps tokens of low probability."""

import numpy as np

from policies.base import Floats, RolloutBatch
from policies.parameter import parameter
from policies.registry import register
from policies.reweighting import MixtureParameters, ReweightingPolicy


class ArParameters(MixtureParameters):
    """How strongly probability counts."""

    mean_one: bool = parameter(
        True,
        "scale the weights to mean one over the tokens that carry gradient; False is the paper's, with smaller steps",
        whose="the study's",
    )


@register
class Ar(ReweightingPolicy):
    """Weights token t of rollout i with α · π[i, t] + (1 - α), times a factor that makes the mean one.

    π: probability of the token under the rollout policy, exp(log_probs); weights (N, L). The mean is over the tokens
    that carry gradient.

    Source and deviations: advantage reweighting, Yang et al., arXiv:2505.12929. There the weight multiplies the
    advantage, which is the same as weighting the loss, and is not scaled to mean one (`mean_one=False`), so that the
    step shrinks by the mean weight; the study scales. The paper tunes α by task (its K&K script: .2); the study has .5.
    """

    name = "ar"
    aliases = (
        "advantage reweighting",
        "advantage re-weighting",
        "low-probability tokens",
        "优势重加权",
        "低概率 token",
    )
    requires = ("log_probs", "advantages", "mask")
    signal = "probability of the token -> its weight"
    formula = "w = c * (alpha * pi + 1 - alpha) for every token"
    source = "cf. arXiv:2505.12929"
    inert_when = "with alpha=0; nearly, where almost all tokens are certain (pi near 1)"
    scorer = "token_probability"
    scores_of = "token"
    actuator = "mix_with_one"
    Parameters = ArParameters

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """(N, L); ones (N,) in a step in which nothing carries gradient."""
        assert isinstance(self.parameters, ArParameters)
        return super().weights(batch, step) if self.parameters.mean_one else np.asarray(self.act(batch, step))
