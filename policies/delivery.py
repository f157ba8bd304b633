"""The delivery record: per training step, what the policy asked for and what training really did."""

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
    """Total variation 0.5 * sum |w / sum(w) - 1/n| over rollouts that carry gradient."""
    effective_sample_size: float
    """(sum w)^2 / sum w^2 over rollouts."""
    kept_everything: bool = False
    """A selector would have kept nothing and kept everything instead."""
    domain_rewards: dict[str, float]
    """Mean reward of each domain in this step."""
