"""verl's GRPO advantages on rewards that are in hand, without a way through the transfer queue."""

from collections.abc import Sequence

import numpy as np
import torch
from omegaconf import DictConfig
from tensordict import TensorDict
from verl.protocol import DataProto
from verl.trainer.ppo.v1.utils import compute_advantage_for_multi_trajectories

from policies.errors import AdvisorError


def demand_grpo(config: DictConfig) -> None:
    """Raises AdvisorError for a configuration whose advantages are more than GRPO's on the rewards."""
    if config.algorithm.adv_estimator != "grpo" or config.algorithm.use_kl_in_reward:
        raise AdvisorError(
            f"policies act on GRPO without a KL term in the reward, not on {config.algorithm.adv_estimator} with "
            f"use_kl_in_reward={config.algorithm.use_kl_in_reward}; use a shipped recipe"
        )


def grpo_advantages(rewards: torch.Tensor, mask: torch.Tensor, keys: Sequence[str], config: DictConfig) -> torch.Tensor:
    """(N, L) verl's own advantages; rewards (N, L) at the tokens that earned them, mask (N, L), one key a rollout.

    A key is `{prompt uuid}_{rollout}_{turn}`: rollouts of one uuid are a group.
    """
    algorithm = config.algorithm
    data = DataProto(
        batch=TensorDict(
            {"response_mask": mask, "token_level_scores": rewards, "token_level_rewards": rewards},
            batch_size=len(mask),
        ),
        non_tensor_batch={"uid": np.array([key.rsplit("_", 2)[0] for key in keys], dtype=object)},
    )
    made = compute_advantage_for_multi_trajectories(
        data,
        batch_keys=list(keys),
        adv_estimator=algorithm.adv_estimator,
        gamma=algorithm.gamma,
        lam=algorithm.lam,
        num_repeat=config.actor_rollout_ref.rollout.n,
        norm_adv_by_std_in_grpo=algorithm.get("norm_adv_by_std_in_grpo", True),
        config=algorithm,
    )
    advantages: torch.Tensor = made.batch["advantages"]
    return advantages
