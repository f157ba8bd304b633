"""Policy `per`: weights as prioritized replay has its probabilities."""

from policies.actuators import ScorerChoice
from policies.registry import register
from policies.reweighting import PowerParameters, ReweightingPolicy


class PerParameters(PowerParameters, ScorerChoice):
    """How strongly priority counts."""


@register
class Per(ReweightingPolicy):
    """Weights rollout i with (mean |A|_i + ε)^α, times a factor that makes the mean one over tokens with gradient.

    mean |A|_i: over the rollout's tokens that count, and one number where they agree to 1e-5 of the largest; weights
    (N,).

    Source and deviations: prioritized experience replay, arXiv:1511.05952, where p = |TD error| + ε is the priority of
    a transition in a replay buffer, drawn with probability ∝ p^α and corrected by importance weights (N · P)^-β. GRPO
    has no buffer: the study weights the fresh batch by p^α and corrects nothing. `importance_correction` = β gives what
    draw and correction do together on average, p^(α (1 - β)); β = 1 takes the whole effect back. The study does not
    say its ε; ours is 1e-6, which only a rollout without gradient could tell.
    """

    name = "per"
    aliases = ("prioritized replay", "prioritised replay", "prioritized experience replay", "优先经验回放", "优先回放")
    requires = ("advantages", "mask")
    signal = "mean |A| of the rollout -> its weight"
    formula = "w = c * (mean|A| + epsilon) ^ (alpha * (1 - importance_correction))"
    source = "cf. PER arXiv:1511.05952"
    inert_when = "with alpha=0 or importance_correction=1; where all rollouts with gradient have the same |A|"
    actuator = "power"
    Parameters = PerParameters
