"""verl's own clipped policy loss, with a record of what it multiplied with. Registered when imported.

This runs in the worker process, so what it reports is what the loss really saw. verl averages policy-loss metrics over
micro-batches; `training.verl_plugin.delivery_log` turns the averages back into sums with the number of tokens.
"""

from time import perf_counter
from typing import Any

import torch
from verl.trainer.ppo.core_algos import compute_policy_loss_vanilla, register_policy_loss

from policies.delivery import loss_digest, weight_statistics
from training.verl_plugin.delivery_log import DIGEST, HOOK_S, SQUARED, TOKENS, TOTAL, ZEROS

LOSS_NAME = "advisor_recorded"


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
    return loss, metrics | _seen(old_log_prob, advantages, response_mask, rollout_is_weights)


def _seen(
    old_log_prob: torch.Tensor, advantages: torch.Tensor, response_mask: torch.Tensor, weights: torch.Tensor | None
) -> dict[str, float]:
    """The sums and the digest of what was multiplied, by the same functions as the trainer's."""
    started = perf_counter()
    mask = response_mask.bool().cpu().numpy()
    log_probs, values = (tensor.detach().float().cpu().numpy() for tensor in (old_log_prob, advantages))
    used = None if weights is None else weights.detach().float().cpu().numpy()
    seen = {TOKENS: float(mask.sum()), DIGEST: float(loss_digest(used, log_probs, values, mask))}
    if used is not None:
        sums = weight_statistics(used, mask)
        seen |= {TOTAL: sums.total, SQUARED: sums.squared, ZEROS: float(sums.zeros)}
    return seen | {HOOK_S: perf_counter() - started}
