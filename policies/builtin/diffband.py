"""Policy `diffband`: more weight for the middle of the batch's rewards."""

from policies.actuators import ScorerChoice
from policies.parameter import parameter
from policies.registry import register
from policies.reweighting import BandParameters, ReweightingPolicy


class DiffbandParameters(BandParameters, ScorerChoice):
    """Where the band lies, in which score, and what it weighs."""

    scorer: str = parameter(
        "reward",
        "name of the number a rollout that the band is of",
        whose="the study's",
    )


@register
class Diffband(ReweightingPolicy):
    """Weights rollout i with `focus` if quantile(low_q) <= r_i <= quantile(high_q) of the batch's rewards, else 1.

    Quantiles are linearly interpolated (numpy's default), ends belong to the band; weights (N,), times a factor that
    makes the mean one over the tokens that carry gradient.

    Source: the DataFlex-RL study; no paper. Ours: the mean is one over tokens *with gradient*. With 0/1 rewards the
    study's band is {0} where fewer than a quarter are solved, {1} where more than three quarters are, and everything in
    between: it is then a weight for the commoner outcome, or nothing. scorer=solve_rate, ours, bands difficulty.
    """

    name = "diffband"
    aliases = ("difficulty band", "middle difficulty", "难度带", "中等难度")
    requires = ("rewards", "advantages")
    signal = "reward of the rollout -> more weight inside the batch's middle quantiles"
    formula = "w = c * focus if quantile(low_q) <= reward <= quantile(high_q), else c * 1"
    source = "the DataFlex-RL study"
    inert_when = "with 0/1 rewards, wherever the batch's mean reward lies between low_q and high_q; with focus=1"
    actuator = "band"
    Parameters = DiffbandParameters
