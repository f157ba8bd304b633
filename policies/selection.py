"""The selection actuator: a number per rollout -> which rollouts the loss sees.

Kept rollouts share one weight, the others have 0. The weight makes the mean one over the tokens that count *and carry
gradient*: dropping only rollouts without gradient leaves every other weight at 1, and is the no-op that it should be.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.base import Floats, RolloutBatch
from policies.seeding import mixed_bits, stable_seed

_TIE = 1e-5
"""Scores closer than this share of the largest are tied: float32 advantages of equal rewards differ by ~1e-7."""


class Selection(NamedTuple):
    """What a selector does to one step."""

    weights: Floats
    """(N,)."""
    kept_everything: bool
    """It would have kept nothing that carries gradient."""


def rollout_keys(batch: RolloutBatch, seed: int, step: int) -> NDArray[np.uint64]:
    """(N,) a seeded random number a rollout, tied to (prompt, rollout index) and not to its row.

    The splitmix64 finaliser over (seed, step, group, index): the same rollout draws the same number wherever it stands.
    """
    groups = np.asarray(batch.groups)
    indices = occurrence(groups) if batch.indices is None else np.asarray(batch.indices)
    base = np.uint64(stable_seed("ties", seed, step))
    with np.errstate(over="ignore"):
        return mixed_bits(mixed_bits(base + groups.astype(np.uint64)) + indices.astype(np.uint64))


def occurrence(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) how many earlier rows have the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(groups)])
    result = np.empty(len(groups), dtype=np.int64)
    result[order] = np.arange(len(groups)) - np.repeat(starts, lengths)
    return result


def tied_ranks(scores: Floats) -> NDArray[np.int64]:
    """(N,) dense rank, 0 the smallest; scores within `_TIE` of their neighbour in order have the same rank."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    apart = np.diff(ordered, prepend=ordered[:1]) > _TIE * np.abs(scores).max(initial=0.0)
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.cumsum(apart)
    return ranks


def keep_highest(batch: RolloutBatch, scores: Floats, count: int, seed: int, step: int) -> Selection:
    """Keeps the `count` rollouts of the batch with the highest score (N,); ties by a seeded draw."""
    order = np.lexsort((rollout_keys(batch, seed, step), -tied_ranks(scores)))
    kept = np.zeros(len(scores), dtype=bool)
    kept[order[:count]] = True
    return keep(batch, kept)


def keep(batch: RolloutBatch, kept: NDArray[np.bool_]) -> Selection:
    """Weights for a chosen set of rollouts, `kept` (N,).

    If no kept rollout carries gradient, all are kept: a step of zero weights is not "off", because KL and the
    optimizer's momentum still move the parameters.
    """
    carrying = np.count_nonzero(batch.advantages, axis=1)
    chosen = int(carrying[kept].sum())
    if chosen == 0:
        return Selection(np.ones(len(kept)), kept_everything=True)
    return Selection(np.where(kept, carrying.sum() / chosen, 0.0), kept_everything=False)
