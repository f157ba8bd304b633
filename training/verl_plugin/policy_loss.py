"""verl's own clipped policy loss, with a record of the weights that it multiplied with. Registered when imported.

This runs in the worker process, so what it reports is what the loss really saw. verl averages policy-loss metrics over
micro-batches; `training.verl_plugin.delivery_log` turns the averages back into sums with the number of tokens.
"""

from typing import Any

import torch
from verl.trainer.ppo.core_algos import compute_policy_loss_vanilla, register_policy_loss

LOSS_NAME = "advisor_recorded"
TOKENS, TOTAL, SQUARED, ZEROS = (f"actor/advisor_weight_{part}" for part in ("tokens", "total", "squared", "zeros"))


@register_policy_loss(LOSS_NAME)
def recorded_policy_loss(
    old_log_prob: torch.Tensor,
    log_prob: torch.Tensor,
    advantages: torch.Tensor,
    response_mask: torch.Tensor,
    loss_agg_mode: str = "token-mean",
    config: Any = None,
    rollout_is_weights: torch.Tensor | None = None,
) -> tuple[torch.Tensor, dict[str, Any]]:
    """`compute_policy_loss_vanilla`, unchanged; all tensors (batch, response length)."""
    loss, metrics = compute_policy_loss_vanilla(
        old_log_prob, log_prob, advantages, response_mask, loss_agg_mode, config, rollout_is_weights
    )
    metrics[TOKENS] = float(response_mask.sum())
    if rollout_is_weights is not None:
        seen = rollout_is_weights.detach().double()[response_mask.bool()]
        metrics[TOTAL] = float(seen.sum())
        metrics[SQUARED] = float((seen * seen).sum())
        metrics[ZEROS] = float((seen == 0).sum())
    return loss, metrics
