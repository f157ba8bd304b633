"""Policy `dump_ucb`: more prompts for the domain with large advantages, or seldom drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import NonNegativeInt

from policies.base import Floats, PolicyParameters, RolloutBatch
from policies.errors import InputError
from policies.mixing import MixerState, MixingParameters, MixingPolicy
from policies.parameter import parameter
from policies.registry import register
from policies.scorers import window_mean


class DumpUcbParameters(MixingParameters):
    """How much exploration."""

    c: float = parameter(
        1.0, "factor of the exploration bonus", whose="the study's", unit="(normalised) score", ge=0, le=1000
    )
    scorer: str = parameter(
        "mean_abs_advantage", "name of the number a rollout whose domain means it follows", whose="the study's"
    )


class DumpUcbState(MixerState):
    """With the rollouts of each domain since the run began."""

    drawn: tuple[NonNegativeInt, ...]


@register
class DumpUcb(MixingPolicy):
    """share_d = floor + (1 - D·floor) · softmax_d((A_d / spread + c·sqrt(2 ln(N + 1) / (n_d + 1))) / temperature).

    A_d: mean over the last `window` steps of domain d's mean |advantage| in a step, (T,) steps by (D,) domains; n_d:
    rollouts of domain d since the run began, N: of all domains. A domain without a rollout in the window counts with
    the others' mean A; its bonus is its own. spread: root of the running mean, over about one window, of the variance
    of the domains' A.

    Source and deviations: DUMP, arXiv:2504.09710: the same sum, A_d over the last 300 rollouts *of each domain*,
    temperature .1, c 1, no floor. The study has temperature 1 and the floor; here the window is in steps. Dividing A by
    its running spread between domains is ours (`normalise=False`: the study's, in which a domain's |A| .1 above the
    others' moves its share by 2 points). The bonus is not divided: where all A are equal, chance differences of the
    counts would be all that is left, blown up. With `normalise`, shares are equal there.
    """

    name = "dump_ucb"
    aliases = ("dump", "dump-ucb", "dump ucb", "ucb", "bandit", "upper confidence bound", "老虎机", "置信上界")
    requires = ("advantages", "mask", "domains")
    signal = "mean |A| of the domain, and how seldom it was drawn -> its share of the prompts"
    formula = (
        "share = floor + (1 - D * floor) * softmax((mean|A| / spread + bonus) / temperature), "
        "bonus = c * sqrt(2 ln(N + 1) / (n_d + 1))"
    )
    source = "cf. DUMP arXiv:2504.09710"
    inert_when = (
        "in the warm-up; where all domains have the same mean |A|, as when no group has both rewards; with "
        "normalise=False at temperature 1, in most steps; with one domain, or floor at 1 / D"
    )
    Parameters = DumpUcbParameters

    def __init__(self, parameters: PolicyParameters, domains: Sequence[str], seed: int) -> None:
        super().__init__(parameters, domains, seed)
        self._drawn = [0] * len(self.domains)

    def take_in(self, batch: RolloutBatch, step: int) -> None:
        """Remembers the step's |A| and counts its rollouts."""
        super().take_in(batch, step)
        counts = [int(np.count_nonzero(batch.domains == name)) for name in self.domains]
        self._drawn = [before + count for before, count in zip(self._drawn, counts, strict=True)]

    def score(self) -> Floats:
        """(D,) mean |A|."""
        return window_mean(self.window.steps, self.window.means)

    def bonus(self) -> Floats:
        """(D,) c·sqrt(2 ln(N + 1) / (n_d + 1))."""
        assert isinstance(self.parameters, DumpUcbParameters)
        bonus: Floats = self.parameters.c * np.sqrt(2 * np.log(sum(self._drawn) + 1) / (np.array(self._drawn) + 1))
        return bonus

    def state_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**super().state_dict(), "drawn": list(self._drawn)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores `state_dict`; raises InputError for what is no such state."""
        read = self.read_state(DumpUcbState, state)
        if len(read.drawn) != len(self.domains):
            raise InputError(f"policy {self.name}: a state with {len(read.drawn)} counts, not {len(self.domains)}")
        self._restore(read)
        self._drawn = list(read.drawn)
