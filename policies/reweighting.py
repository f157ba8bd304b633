"""Reweighting: a number a rollout or a token -> its weight in the loss.

All weights of a step get one common factor that makes their mean one over the tokens that count and carry gradient.

Shapes: N rollouts, L tokens.
"""

import numpy as np
from pydantic import model_validator

from policies.actuators import ScoredPolicy, actuator
from policies.base import Floats, PolicyParameters, RolloutBatch
from policies.blocks import row_blocks
from policies.parameter import parameter
from policies.ties import Keys


def mean_one(batch: RolloutBatch, raw: Floats) -> Floats:
    """`raw` (N,) or (N, L) with mean one over the tokens that carry gradient; ones (N,) where that is impossible."""
    carrying = batch.advantages != 0
    if raw.ndim == 1:
        tokens = np.count_nonzero(carrying, axis=1)
        count, total = float(tokens.sum()), float((tokens * raw).sum())
    else:
        count, total = float(np.count_nonzero(carrying)), 0.0
        for rows in row_blocks(raw.shape):
            total += float(raw[rows][carrying[rows]].sum(dtype=np.float64))
    if not total > 0:
        return np.ones(len(raw))
    weights: Floats = raw * (count / total)
    return weights


class ReweightingPolicy(ScoredPolicy):
    """Base of the reweighters: scorer and actuator give weights up to a common factor."""

    family = "reweighting"

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """Mean one over the tokens that carry gradient."""
        return mean_one(batch, self.act(batch, step))


class PowerParameters(PolicyParameters):
    """Of `power`."""

    alpha: float = parameter(0.5, "exponent; 0: all weights equal", whose="the study's", ge=0, le=10)
    epsilon: float = parameter(
        1e-6, "added to the score, so that 0 keeps a weight", whose="ours", unit="score", gt=0, le=1
    )
    importance_correction: float = parameter(
        0.0,
        "beta of the paper, whose importance weights take back that part of the exponent; 1 leaves all weights equal",
        whose="the study's",
        ge=0,
        le=1,
    )


class SoftmaxParameters(PolicyParameters):
    """Of `softmax`."""

    temperature: float = parameter(1.0, "of the softmax", whose="the study's", unit="score", gt=0, le=1000)


class BandParameters(PolicyParameters):
    """Of `band`."""

    focus: float = parameter(
        2.0, "weight inside the band, against 1 outside", whose="the study's", unit="weight", gt=0, le=1000
    )
    low_q: float = parameter(
        0.25,
        "lower end of the band, a quantile of the batch's scores",
        whose="the study's",
        unit="quantile",
        ge=0,
        le=1,
    )
    high_q: float = parameter(
        0.75,
        "upper end of the band, a quantile of the batch's scores",
        whose="the study's",
        unit="quantile",
        ge=0,
        le=1,
    )

    @model_validator(mode="after")
    def _in_order(self) -> "BandParameters":
        if self.low_q > self.high_q:
            raise ValueError(f"low_q must not exceed high_q (got low_q={self.low_q:g}, high_q={self.high_q:g})")
        return self


class MixtureParameters(PolicyParameters):
    """Of `mix_with_one`."""

    alpha: float = parameter(0.5, "part of the weight that follows the score", whose="the study's", ge=0, le=1)


@actuator("reweighting", PowerParameters)
def power(scores: Floats, batch: RolloutBatch, parameters: PowerParameters, keys: Keys) -> Floats:
    """(score + epsilon) ^ (alpha * (1 - importance_correction))."""
    raised: Floats = (scores + parameters.epsilon) ** (parameters.alpha * (1 - parameters.importance_correction))
    return raised


@actuator("reweighting", SoftmaxParameters)
def softmax(scores: Floats, batch: RolloutBatch, parameters: SoftmaxParameters, keys: Keys) -> Floats:
    """exp(score / temperature), over the batch."""
    raised: Floats = np.exp((scores - scores.max()) / parameters.temperature)
    return raised


@actuator("reweighting", BandParameters)
def band(scores: Floats, batch: RolloutBatch, parameters: BandParameters, keys: Keys) -> Floats:
    """`focus` for scores between the batch's quantiles low_q and high_q, ends included, else 1."""
    low, high = np.quantile(scores, [parameters.low_q, parameters.high_q])
    weights: Floats = np.where((low <= scores) & (scores <= high), parameters.focus, 1.0)
    return weights


@actuator("reweighting", MixtureParameters)
def mix_with_one(scores: Floats, batch: RolloutBatch, parameters: MixtureParameters, keys: Keys) -> Floats:
    """alpha * score + (1 - alpha)."""
    weights: Floats = scores * parameters.alpha
    weights += 1 - parameters.alpha
    return weights
