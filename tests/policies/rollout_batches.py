"""Rollouts by hand for the tests of single policies."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from policies.base import Policy, RolloutBatch
from policies.registry import create, resolve
from policies.synthetic import grpo_advantages

DOMAINS = ("math",)


def policy_of(name: str, seed: int = 0, **parameters: Any) -> Policy:
    return create(resolve(name, parameters), DOMAINS, seed)


def graded(rewards: Sequence[Sequence[float]], lengths: Sequence[Sequence[int]] | None = None) -> RolloutBatch:
    """One list of rewards a prompt; lists may differ in length. Advantages are GRPO's, every answer has 3 tokens."""
    flat = np.array([reward for group in rewards for reward in group], dtype=float)
    groups = np.repeat(np.arange(len(rewards)), [len(group) for group in rewards])
    tokens = [3] * len(flat) if lengths is None else [length for group in lengths for length in group]
    mask = np.arange(max(tokens))[None, :] < np.array(tokens)[:, None]
    return RolloutBatch(
        rewards=flat,
        advantages=grpo_advantages(flat, groups, mask),
        log_probs=np.where(mask, -0.7, 0.0),
        mask=mask,
        groups=groups,
        domains=np.array(["math"] * len(flat)),
        indices=np.concatenate([np.arange(len(group)) for group in rewards]),
    )


def mean_over_carrying(weights: np.ndarray[Any, Any], batch: RolloutBatch) -> float:
    """Mean weight of the tokens that carry gradient."""
    spread = weights if weights.ndim == 2 else np.broadcast_to(weights[:, None], batch.mask.shape)
    return float(spread[batch.advantages != 0].mean())


def step_of(means: dict[str, float], rows: int = 10) -> RolloutBatch:
    """A batch in which each domain has exactly this mean reward."""
    count = rows * len(means)
    return RolloutBatch(
        rewards=np.repeat(list(means.values()), rows),
        advantages=np.zeros((count, 2)),
        log_probs=np.zeros((count, 2)),
        mask=np.ones((count, 2), dtype=bool),
        groups=np.arange(count) // 5,
        domains=np.repeat(list(means), rows),
    )


def after(policy, curve, steps=30):
    """Shares after steps in which the domains' mean rewards follow the curve: step -> {domain: mean}."""
    for step in range(1, steps + 1):
        policy.observe(step_of(curve(step)), step)
    return policy.shares(steps + 1)
