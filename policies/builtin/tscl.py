"""Policy `tscl`: more prompts for the domain whose reward changes fastest."""

from policies.base import Floats
from policies.mixing import MixingPolicy
from policies.registry import register
from policies.scorers import abs_slope


@register
class Tscl(MixingPolicy):
    """Teacher-student curriculum: share_d = floor + (1 - D·floor) · softmax_d(|slope_d| / (spread · temperature)).

    slope_d: least-squares slope of domain d's mean reward (one point a step, (T,) steps by (D,) domains) over the last
    `window` steps. A domain without a rollout in a step has no point there; with fewer than two points it counts as
    the mean of the others. spread: root of the running mean, over about one window, of the variance of the domains'
    slopes.

    Source: TSCL, Matiisen et al., arXiv:1707.00183, the *window* algorithm with Boltzmann exploration. The paper draws
    one task at a time and keeps the last K scores *of each task*; here the window is in steps and the softmax is a
    share of the step's prompts. The floor is the study's. Dividing by the running spread is ours: reward slopes are
    ~.002 a step, so the study's softmax at temperature 1 (`normalise=False`) gives .3337/.3333/.3330 and draws
    static's prompts. Ours acts on differences in slope of whatever size, also on those that are only sampling noise.
    """

    name = "tscl"
    aliases = ("teacher-student", "teacher student curriculum", "learning progress", "师生课程学习", "课程学习")
    requires = ("rewards", "domains")
    signal = "slope of the domain's mean reward -> its share of the prompts"
    formula = "share = floor + (1 - D * floor) * softmax(|slope| / (spread * temperature))"
    source = "arXiv:1707.00183"
    inert_when = (
        "in the warm-up; where no domain's reward changes; with normalise=False at temperature 1, nearly always; with "
        "one domain, or floor at 1 / D"
    )

    def score(self) -> Floats:
        """(D,) |slope| of reward, per step."""
        return abs_slope(self.window.steps, self.window.means)
