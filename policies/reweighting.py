"""Reweighting: a number a rollout or a token -> its weight in the loss.

All weights of a step get one common factor that makes their mean one over the tokens that count and carry gradient.

Shapes: N rollouts, L tokens.
"""

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from policies.actuators import ScoredPolicy, actuator
from policies.base import Floats, PolicyParameters, RolloutBatch
from policies.blocks import row_blocks
from policies.parameter import parameter
from policies.ties import Keys

_LARGE = 1e30
_HIGHEST = 100.0
"""Of a softmax's exponent: exp(100) is as good as infinitely more, and finite."""


def mean_one(batch: RolloutBatch, raw: Floats) -> Floats:
    """`raw` (N,) or (N, L) with mean one over the tokens that carry gradient; ones (N,) where that is impossible.

    What carries no gradient weighs at most 1e30: a weight out of float32's range would make its advantage of 0 a NaN.
    """
    carrying = batch.advantages != 0
    count, total = _carried(raw, carrying)
    if total == 0:  # NaN is none of our business: it goes on to whoever asked
        return np.ones(len(raw))
    if count / total > _LARGE:  # scores so small that their factor would leave the range: the largest becomes 1
        spread = np.broadcast_to(raw.reshape(len(raw), -1), carrying.shape)
        with np.errstate(over="ignore"):
            raw = raw / spread[carrying].max()
        count, total = _carried(raw, carrying)
    with np.errstate(over="ignore"):
        weights: Floats = raw * (count / total)
    return np.minimum(weights, _LARGE, out=weights)


def _carried(raw: Floats, carrying: NDArray[np.bool_]) -> tuple[float, float]:
    """How many tokens carry gradient, and the sum of `raw` over them."""
    if raw.ndim == 1:
        tokens = np.count_nonzero(carrying, axis=1)
        return float(tokens.sum()), float((tokens * raw).sum())
    total = 0.0
    for rows in row_blocks(raw.shape):
        total += float(raw[rows][carrying[rows]].sum(dtype=np.float64))
    return float(np.count_nonzero(carrying)), total


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
        2.0, "weight inside the band, against 1 outside", whose="the study's", unit="weight", ge=0.001, le=1000
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
    # From the largest score that carries gradient: what carries none must not push the others under float's range.
    carrying = np.count_nonzero(batch.advantages, axis=1) > 0
    top = scores[carrying].max() if carrying.any() else scores.max()
    with np.errstate(over="ignore"):
        raised: Floats = np.exp(np.minimum((scores - top) / parameters.temperature, _HIGHEST))
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
