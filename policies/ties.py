"""Ties, which 0/1 rewards make many of, are broken by a seeded draw and never by the row.

Shapes: N rollouts in a step.
"""

import numpy as np
from numpy.typing import NDArray

from policies.base import Floats, RolloutBatch
from policies.seeding import mixed_bits, stable_seed

Keys = NDArray[np.uint64]


def rollout_keys(batch: RolloutBatch, seed: int, step: int, purpose: str = "ties") -> Keys:
    """(N,) a seeded random number in [0, 2**64) a rollout, tied to (prompt, rollout index) and not to its row.

    The splitmix64 finaliser over (purpose, seed, step, group, index): the same rollout draws the same number wherever
    it stands.
    """
    groups = np.asarray(batch.groups)
    indices = occurrence(groups) if batch.indices is None else np.asarray(batch.indices)
    base = np.uint64(stable_seed(purpose, seed, step))
    with np.errstate(over="ignore"):
        return mixed_bits(mixed_bits(base + groups.astype(np.uint64)) + indices.astype(np.uint64))


def occurrence(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) how many earlier rows have the same group."""
    order = np.argsort(groups, kind="stable")
    result = np.empty(len(groups), dtype=np.int64)
    result[order] = place_in_run(groups[order])
    return result


def place_in_run(ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N,) place within a run of equal values: [4, 4, 7, 7, 7] gives [0, 1, 0, 1, 2]."""
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    return np.arange(len(ordered)) - np.repeat(starts, lengths)


def without_noise(scores: Floats, noise: float) -> Floats:
    """(N,) scores in which what differs by float noise is equal.

    Neighbours in order that are at most `noise` times the largest |score| apart get the smallest score of their run.
    """
    if not noise:
        return scores
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    apart = np.diff(ordered, prepend=ordered[:1]) > noise * np.abs(scores).max(initial=0.0)
    first = np.maximum.accumulate(np.where(apart, np.arange(len(scores)), 0))
    clean = np.empty_like(scores)
    clean[order] = ordered[first]
    return clean
