"""Policy `topk`: train on the rollouts with the largest advantages."""

from pydantic import Field

from policies.base import Floats, Policy, PolicyParameters, RolloutBatch
from policies.registry import register
from policies.scorers import mean_abs_advantage
from policies.selection import keep_highest


class TopkParameters(PolicyParameters):
    """How much is kept."""

    keep_fraction: float = Field(
        default=0.5, gt=0, le=1, description="share of the batch's rollouts that is kept, at least one; the study's"
    )


@register
class Topk(Policy):
    """Keeps the round(keep_fraction · N) rollouts of the batch with the largest mean |A|, at least one.

    score_i = mean over tokens t that count of |A[i, t]|; weights (N,): 0 or c, with c such that the mean over tokens
    that carry gradient is one. Ties are broken by a draw seeded with (seed, step) and tied to (prompt, rollout index).

    Source: the DataFlex-RL study; no paper. Rounding is Python's, as in the study's `maxvar`. Ours: the mean is one
    over tokens *with gradient* (else dropping half of them would halve the step), and a step in which all advantages
    are zero keeps everything.
    """

    name = "topk"
    family = "selection"
    control = "baseline"
    aliases = ("top-k", "top k", "top_k", "top-k selection", "top-k advantage")
    requires = ("advantages", "mask", "groups")
    source = "the DataFlex-RL study"
    inert_when = "where at least 1 - keep_fraction of the rollouts have zero advantage (groups with equal rewards)"
    Parameters = TopkParameters

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """(N,) 0 or c."""
        assert isinstance(self.parameters, TopkParameters)
        count = max(1, round(self.parameters.keep_fraction * len(batch.rewards)))
        selection = keep_highest(batch, mean_abs_advantage(batch), count, self.seed, step)
        self.kept_everything = selection.kept_everything
        return selection.weights
