"""Policy `topk`: train on the rollouts with the largest advantages."""

from policies.actuators import ScorerChoice
from policies.registry import register
from policies.selection import FractionChoice, SelectionPolicy


class TopkParameters(FractionChoice, ScorerChoice):
    """How much is kept, by which score."""


@register
class Topk(SelectionPolicy):
    """Keeps the round(keep_fraction · N) rollouts of the batch with the largest mean |A|, at least one.

    score_i = mean over tokens t that count of |A[i, t]|; weights (N,): 0 or c, with c such that the mean over tokens
    that carry gradient is one. Ties are broken by a draw seeded with (seed, step) and tied to (prompt, rollout index);
    |A| that agree to 1e-5 of the largest are a tie.

    Source: the DataFlex-RL study; no paper. Rounding is Python's, as in the study's `maxvar`. Ours: the mean is one
    over tokens *with gradient* (else dropping half of them would halve the step), and a step in which all advantages
    are zero keeps everything. `scorer` and `actuator` swap what is ranked and how a share of it is kept.
    """

    name = "topk"
    aliases = ("top-k", "top k", "top_k", "top-k selection", "top-k advantage")
    requires = ("advantages", "mask", "groups")
    signal = "mean |A| of the rollout -> the highest share of the batch is kept"
    formula = "w = c if mean|A| is among the round(keep_fraction * N) largest of the batch, else 0"
    source = "the DataFlex-RL study"
    inert_when = "where at least 1 - keep_fraction of the rollouts have zero advantage (groups with equal rewards)"
    actuator = "keep_highest"
    Parameters = TopkParameters
