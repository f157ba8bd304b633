"""The trainer's side of a step, as pure numpy: the policy's weights, checked, and the record of the step."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from policies.base import Floats, Policy, RolloutBatch
from policies.delivery import DeliveryRecord, effective_sample_size, weight_dose, weight_statistics


def checked_weights(policy: Policy, batch: RolloutBatch, step: int) -> Floats | None:
    """The policy's weights as float32, (N,) or (N, L); raises ValueError when they cannot be used as loss weights."""
    weights = policy.weights(batch, step)
    if weights is None:
        return None
    shapes = (batch.mask.shape[:1], batch.mask.shape)
    if weights.shape not in shapes:
        raise ValueError(f"policy {policy.name} gave weights of shape {weights.shape} at step {step}, not {shapes}")
    used = np.asarray(weights, dtype=np.float32)
    if not np.isfinite(used).all() or (used < 0).any():
        raise ValueError(f"policy {policy.name} gave negative or non-finite weights at step {step}")
    return used


def step_record(
    step: int,
    shares: Mapping[str, float] | None,
    batch: RolloutBatch,
    prompt_indices: Sequence[int],
    weights: Floats | None,
    policy: Policy,
) -> DeliveryRecord:
    """What is known before the update; `prompt_indices` (N,) is the dataset row of each rollout's prompt."""
    _, first = np.unique(batch.groups, return_index=True)
    prompts = sorted(int(prompt_indices[row]) for row in first)
    domains, counts = np.unique(batch.domains[first], return_counts=True)
    realised = dict.fromkeys(policy.domains, 0.0)
    realised |= {str(name): int(count) / len(first) for name, count in zip(domains, counts, strict=True)}
    return DeliveryRecord(
        step=step,
        prompts=len(first),
        rollouts=len(batch.rewards),
        prompt_stream=hashlib.sha256(",".join(map(str, prompts)).encode()).hexdigest()[:16],
        requested_shares=None if shares is None else {name: float(share) for name, share in shares.items()},
        realised_shares=realised,
        weights_set=None if weights is None else weight_statistics(weights, batch.mask),
        weight_dose=weight_dose(weights, batch.advantages),
        effective_sample_size=effective_sample_size(weights, batch.mask),
        kept_everything=policy.kept_everything,
        domain_rewards={str(name): float(batch.rewards[batch.domains == name].mean()) for name in domains},
    )
