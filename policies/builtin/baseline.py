"""Policy `baseline`: what GRPO does by itself."""

from policies.base import Policy
from policies.registry import register


@register
class Baseline(Policy):
    """Prompts uniform over the pool, every rollout weight 1; the control of selection and reweighting."""

    name = "baseline"
    family = "control"
    control = "baseline"
    aliases = ("grpo", "plain grpo", "vanilla", "uniform", "uniform sampling", "基线", "均匀采样")
    signal = "nothing -> prompts uniform over the pool, weight 1"
    formula = "w = 1"
    source = "GRPO, arXiv:2402.03300"
    inert_when = "always: it is the control"
