"""The trainer's side of a step, as pure numpy: the policy's answers, checked, and the record of the step."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from policies.base import Floats, Policy, RolloutBatch
from policies.checked import CheckedPolicy
from policies.delivery import (
    DeliveryRecord,
    advantage_dose,
    effective_sample_size,
    loss_digest,
    weight_dose,
    weight_statistics,
)


class PolicyStep(NamedTuple):
    """What one step trains on. N rollouts, L response tokens."""

    graded: RolloutBatch
    """With the graded rewards and GRPO's advantages on them."""
    trained: RolloutBatch
    """With the policy's own rewards and advantages, where it has any."""
    weights: Floats | None
    """(N,) or (N, L) float32; None: the policy sets none."""


def checked_rewards(policy: Policy, batch: RolloutBatch, step: int) -> Floats | None:
    """The policy's rewards (N,); raises PolicyError when they cannot be trained on."""
    return CheckedPolicy(policy).rewards(batch, step)


def checked_advantages(policy: Policy, batch: RolloutBatch, step: int) -> Floats | None:
    """The policy's advantages as float32 (N, L), 0 where masked; raises PolicyError when they cannot be used."""
    advantages = CheckedPolicy(policy).advantages(batch, step)
    return None if advantages is None else advantages.astype(np.float32)


def checked_weights(policy: Policy, batch: RolloutBatch, step: int) -> Floats | None:
    """The policy's weights as float32, (N,) or (N, L), a copy; raises PolicyError when they cannot be loss weights."""
    weights = CheckedPolicy(policy).weights(batch, step)
    return None if weights is None else np.array(weights, dtype=np.float32)


def step_record(
    step: int,
    shares: Mapping[str, float] | None,
    trained: PolicyStep,
    prompt_indices: Sequence[int],
    policy: Policy,
) -> DeliveryRecord:
    """What is known before the update; `prompt_indices` (N,) is the dataset row of each rollout's prompt."""
    graded, batch, weights = trained
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
        advantage_dose=0.0
        if batch.advantages is graded.advantages
        else advantage_dose(batch.advantages, graded.advantages),
        training_reward=None if batch.rewards is graded.rewards else float(batch.rewards.mean()),
        loss_inputs_set=loss_digest(weights, batch.log_probs, batch.advantages, batch.mask),
        effective_sample_size=effective_sample_size(weights, batch.mask),
        kept_everything=policy.kept_everything,
        domain_rewards={str(name): float(graded.rewards[graded.domains == name].mean()) for name in domains},
    )
