"""The delivery record: per training step, what the policy asked for and what training really did.

Shapes: N rollouts in a step, L response tokens.
"""

import numpy as np
from numpy.typing import NDArray

from policies.base import Floats
from policies.model import StrictModel


class WeightStatistics(StrictModel):
    """Sums over the response tokens of one step that count (mask true)."""

    tokens: int
    total: float
    """Sum of weights."""
    squared: float
    """Sum of squared weights."""
    zeros: int
    """Tokens with weight 0."""


class DeliveryRecord(StrictModel):
    """One line of `delivery.jsonl`."""

    schema_version: int = 1
    step: int
    prompts: int
    rollouts: int
    prompt_stream: str
    """sha256 (first 16 hex) of the ordered dataset indices of this step's prompts."""
    requested_shares: dict[str, float] | None = None
    realised_shares: dict[str, float]
    """Of the prompts that were really rolled out."""
    weights_set: WeightStatistics | None = None
    """What the trainer put beside the batch; None: the policy set none."""
    weights_seen: WeightStatistics | None = None
    """What the loss in the worker process multiplied with; None: it saw none."""
    weight_dose: float = 0.0
    """`weight_dose` of what the policy set; 0 where it set none."""
    effective_sample_size: float
    """`effective_sample_size` of what the policy set; the number of rollouts where it set none."""
    kept_everything: bool = False
    """A selector would have kept nothing and kept everything instead."""
    domain_rewards: dict[str, float]
    """Mean reward of each domain in this step."""


def weight_statistics(weights: Floats, mask: NDArray[np.bool_]) -> WeightStatistics:
    """Sums of `weights`, (N,) a rollout or (N, L) a token, over the tokens that count (`mask` (N, L))."""
    if weights.ndim == 1:
        tokens = np.count_nonzero(mask, axis=1)
        values = np.asarray(weights, dtype=np.float64)
    else:
        tokens = np.ones(np.count_nonzero(mask), dtype=np.int64)
        values = np.asarray(weights[mask], dtype=np.float64)
    return WeightStatistics(
        tokens=int(tokens.sum()),
        total=float((values * tokens).sum()),
        squared=float((values * values * tokens).sum()),
        zeros=int(tokens[values == 0].sum()),
    )


def weight_dose(weights: Floats | None, advantages: Floats) -> float:
    """Total variation 0.5 * sum |w / sum(w) - 1/n| between the weights and equal ones, in [0, 1].

    `weights` (N,) over the rollouts that carry gradient (some advantage of (N, L) is not 0), or (N, L) over the
    tokens that do. 0: no weights set, or nothing carries gradient. 1: all that carries gradient has weight 0.
    """
    if weights is None:
        return 0.0
    carrying = np.count_nonzero(advantages, axis=1) > 0 if weights.ndim == 1 else advantages != 0
    values = np.asarray(weights[carrying], dtype=np.float64)
    if not values.size:
        return 0.0
    total = values.sum()
    return float(0.5 * np.abs(values / total - 1 / values.size).sum()) if total > 0 else 1.0


def effective_sample_size(weights: Floats | None, mask: NDArray[np.bool_]) -> float:
    """(sum w)^2 / sum w^2 over N rollouts, in [0, N]; N where no weights are set.

    Of `weights` (N, L) a rollout's weight is the mean over its tokens that count (`mask` (N, L)).
    """
    if weights is None:
        return float(len(mask))
    if weights.ndim == 2:
        weights = np.where(mask, weights, 0).sum(axis=1) / np.maximum(np.count_nonzero(mask, axis=1), 1)
    values = np.asarray(weights, dtype=np.float64)
    squared = (values * values).sum()
    return float(values.sum() ** 2 / squared) if squared > 0 else 0.0
