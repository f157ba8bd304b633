"""The delivery record: per training step, what the policy asked for and what training really did.

Shapes: N rollouts in a step, L response tokens.
"""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from policies.base import Floats
from policies.blocks import row_blocks
from policies.model import StrictModel
from policies.seeding import mixed_bits

_KEPT = np.uint64(64 - 26)


Part = Annotated[float, Field(ge=0, le=1 + 1e-6)]
"""A share or a dose; sums of floats may pass 1 in their last bits."""


class WeightStatistics(StrictModel):
    """Sums over the response tokens of one step that count (mask true)."""

    tokens: int = Field(ge=0)
    total: float
    """Sum of weights."""
    squared: float
    """Sum of squared weights."""
    zeros: int = Field(ge=0)
    """Tokens with weight 0."""


class DeliveryRecord(StrictModel):
    """One line of `delivery.jsonl`."""

    schema_version: int = 1
    step: int = Field(ge=1)
    prompts: int = Field(ge=1)
    rollouts: int = Field(ge=1)
    prompt_stream: str
    """sha256 (first 16 hex) of the ordered dataset indices of this step's prompts."""
    requested_shares: dict[str, Part] | None = None
    realised_shares: dict[str, Part]
    """Of the prompts that were really rolled out."""
    weights_set: WeightStatistics | None = None
    """What the trainer put beside the batch; None: the policy set none."""
    weights_seen: WeightStatistics | None = None
    """What the loss in the worker process multiplied with; None: it saw none."""
    weight_dose: Part = 0.0
    """`weight_dose` of what the policy set; 0 where it set none."""
    advantage_dose: Part = 0.0
    """`advantage_dose` of what the policy put in place of the rewards or the advantages; 0 where it put nothing."""
    training_reward: float | None = None
    """Mean of the rewards that the policy put in place of the graded ones; None: trained on the graded ones."""
    loss_inputs_set: int | None = None
    """`loss_digest` of the batch that the policy saw and the weights that it gave."""
    loss_inputs_seen: int | None = None
    """The same of what the loss in the worker process computed with; equal: value for value what was set."""
    effective_sample_size: float = Field(ge=0)
    """`effective_sample_size` of what the policy set; the number of rollouts where it set none."""
    kept_everything: bool = False
    """A selector would have kept nothing and kept everything instead."""
    domain_rewards: dict[str, float]
    """Mean reward of each domain in this step."""


def weight_statistics(weights: Floats, mask: NDArray[np.bool_]) -> WeightStatistics:
    """Sums of `weights`, (N,) a rollout or (N, L) a token, over the tokens that count (`mask` (N, L))."""
    count = int(np.count_nonzero(mask))
    if weights.ndim == 1:
        tokens = np.count_nonzero(mask, axis=1)
        values = np.asarray(weights, dtype=np.float64)
        total, squared = float((values * tokens).sum()), float((values * values * tokens).sum())
        return WeightStatistics(tokens=count, total=total, squared=squared, zeros=int(tokens[values == 0].sum()))
    total = squared = 0.0
    zeros = 0
    for rows in row_blocks(mask.shape):
        values = np.asarray(weights[rows][mask[rows]], dtype=np.float64)
        total += float(values.sum())
        squared += float(np.dot(values, values))
        zeros += len(values) - int(np.count_nonzero(values))
    return WeightStatistics(tokens=count, total=total, squared=squared, zeros=zeros)


def loss_digest(weights: Floats | None, log_probs: Floats, advantages: Floats, mask: NDArray[np.bool_]) -> int:
    """Sum of a 26-bit hash of (position, log-prob, advantage, weight) over the tokens that count.

    `weights` (N,), (N, L) or None (all 1); the others (N, L); values as float32. A sum does not depend on the order of
    the rows, on padding, or on how they are split into micro-batches, and a double holds it exactly.
    One other bit in one token changes it but for a chance of 2**-26: log-prob, advantage and position say whose token
    it is, so weights that reached the wrong rollouts change it too.
    """
    total = 0
    for part in row_blocks(mask.shape):
        chosen = mask[part]
        weight = np.ones(1) if weights is None else weights[part, None] if weights.ndim == 1 else weights[part]
        row, position = np.nonzero(chosen)
        used = _bits(np.broadcast_to(weight, chosen.shape)[row, position])
        whose = (_bits(log_probs[part][row, position]) << np.uint64(32)) | _bits(advantages[part][row, position])
        total += int(
            (mixed_bits(mixed_bits(whose) ^ (position.astype(np.uint64) << np.uint64(32) | used)) >> _KEPT).sum()
        )
    return total


def _bits(values: Floats) -> NDArray[np.uint64]:
    """The 32 bits of float32 values; -0 counts as 0."""
    return (np.asarray(values, dtype=np.float32) + np.float32(0)).view(np.uint32).astype(np.uint64)


def advantage_dose(trained: Floats, graded: Floats) -> float:
    """Total variation 0.5 * sum |a / sum|a| - b / sum|b|| between two sets of advantages (N, L), in [0, 1].

    Only directions count: one set that is a multiple of the other is no dose. 1 where one of them alone is all zero.
    """
    ours, theirs = (np.abs(values).sum(dtype=np.float64) for values in (trained, graded))
    if ours == 0 or theirs == 0:
        return float(ours != theirs)
    return float(0.5 * np.abs(trained / ours - graded / theirs).sum(dtype=np.float64))


def weight_dose(weights: Floats | None, advantages: Floats) -> float:
    """Total variation 0.5 * sum |w / sum(w) - 1/n| between the weights and equal ones, in [0, 1].

    `weights` (N,) over the rollouts that carry gradient (some advantage of (N, L) is not 0), or (N, L) over the
    tokens that do. 0: no weights set, or nothing carries gradient. 1: all that carries gradient has weight 0.
    """
    if weights is None:
        return 0.0
    if weights.ndim == 1:
        weights = weights[np.count_nonzero(advantages, axis=1) > 0, None]
        advantages = np.ones(weights.shape)
    count, total = np.count_nonzero(advantages), 0.0
    for rows in row_blocks(weights.shape):
        total += float(weights[rows][advantages[rows] != 0].sum(dtype=np.float64))
    if not count:
        return 0.0
    if not total > 0:
        return 1.0
    apart = 0.0
    for rows in row_blocks(weights.shape):
        values = np.asarray(weights[rows][advantages[rows] != 0], dtype=np.float64)
        apart += float(np.abs(values / total - 1 / count).sum())
    return 0.5 * apart


def effective_sample_size(weights: Floats | None, mask: NDArray[np.bool_]) -> float:
    """(sum w)^2 / sum w^2 over N rollouts, in [0, N]; N where no weights are set.

    Of `weights` (N, L) a rollout's weight is the mean over its tokens that count (`mask` (N, L)).
    """
    if weights is None:
        return float(len(mask))
    if weights.ndim == 2:
        sums = np.concatenate([np.where(mask[rows], weights[rows], 0).sum(axis=1) for rows in row_blocks(mask.shape)])
        weights = sums / np.maximum(np.count_nonzero(mask, axis=1), 1)
    values = np.asarray(weights, dtype=np.float64)
    squared = (values * values).sum()
    return float(values.sum() ** 2 / squared) if squared > 0 else 0.0
