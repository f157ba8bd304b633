"""The mixing actuator: a number per domain -> the shares of the next step's prompts.

    share_d = floor + (1 - D * floor) * softmax_d((score / spread + bonus) / temperature)

`spread` (`normalise=True`, ours) is the root of the running mean of the scores' variance between domains (divisor D):
over all updates of the first window, then with weight 1 / window for the newest. It is 1 with `normalise=False`, the
study's. Without it a score as small as a reward slope (~.002 a step) never moves a softmax at
temperature 1, and the policy draws exactly its control's prompts. `bonus` is 0 but for dump_ucb.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from pydantic import Field, ValidationError, field_validator

from policies.base import Floats, Policy, PolicyParameters, RolloutBatch
from policies.domain_window import DomainWindow, WindowState
from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from policies.parameter import parameter
from policies.scorers import get_scorer

_NO_SPREAD = 1e-9
"""Scores that differ by less than this are equal but for float noise: rewards in [0, 1] have no finer grain."""


class MixingParameters(PolicyParameters):
    """What all mixing policies have in common."""

    temperature: float = parameter(1.0, "of the softmax", whose="the study's", unit="(normalised) score", gt=0, le=1000)
    floor: float = parameter(
        0.05, "least share of a domain", whose="the study's", unit="share of the prompts", ge=0, le=0.5
    )
    warmup: int = parameter(5, "first steps, with equal shares", whose="ours", unit="steps", ge=2, le=100_000)
    window: int = parameter(10, "how far the signal looks back", whose="ours", unit="steps", ge=2, le=100_000)
    normalise: bool = parameter(
        True, "divide the score by its running spread between domains; the study does not (False)", whose="ours"
    )
    scorer: str = parameter("reward", "name of the number a rollout whose domain means it follows", whose="the study's")

    @field_validator("scorer")
    @classmethod
    def _known(cls, name: str) -> str:
        return get_scorer(name).name


class MixerState(StrictModel):
    """What a mixer remembers."""

    scores: tuple[float, ...] | None
    variance: float = Field(ge=0)
    updates: int = Field(ge=0)
    window: WindowState


S = TypeVar("S", bound=MixerState)


class MixingPolicy(Policy):
    """Base of the mixers: a subclass gives one score a domain from the window of its own signal.

    Shapes: T steps in the window, D domains; scores (D,), NaN where a domain gives no evidence yet (it then counts as
    the mean of the others). The shares are updated after every step, from step `warmup` on.
    """

    control = "static"
    family = "mixing"
    Parameters = MixingParameters

    def __init__(self, parameters: PolicyParameters, domains: Sequence[str], seed: int) -> None:
        super().__init__(parameters, domains, seed)
        assert isinstance(parameters, MixingParameters)
        self.mixing = parameters
        if parameters.floor * len(self.domains) > 1:
            raise InputError(
                f"policy {self.name}: floor={parameters.floor:g} for {len(self.domains)} domains is over 1 in all; "
                f"give at most {1 / len(self.domains):.3g}"
            )
        self.window = DomainWindow(self.domains, parameters.window)
        self._scores: list[float] | None = None
        self._variance = 0.0
        self._updates = 0

    @abstractmethod
    def score(self) -> Floats:
        """(D,) the number behind the next shares, from `window`."""

    def bonus(self) -> Floats:
        """(D,) added to the normalised scores."""
        return np.zeros(len(self.domains))

    def take_in(self, batch: RolloutBatch, step: int) -> None:
        """Remembers the step's signal: each domain's mean of the scorer's numbers."""
        self.window.add(step, get_scorer(self.mixing.scorer).score(batch), batch.domains)

    def shares(self, step: int) -> dict[str, float]:
        """Equal in the warm-up and before any evidence, then by the scores."""
        count = len(self.domains)
        if step <= self.mixing.warmup or self._scores is None:
            return dict.fromkeys(self.domains, 1 / count)
        spread = float(np.sqrt(self._variance)) if self.mixing.normalise else 1.0
        if not spread > _NO_SPREAD:
            return dict.fromkeys(self.domains, 1 / count)
        scores = np.asarray(self._scores) / spread + self.bonus()
        with np.errstate(over="ignore"):  # a tiny temperature: all to the largest
            raised = np.exp((scores - scores.max()) / self.mixing.temperature)
        shares = self.mixing.floor + (1 - count * self.mixing.floor) * raised / raised.sum()
        return {name: float(share) for name, share in zip(self.domains, shares, strict=True)}

    def observe(self, batch: RolloutBatch, step: int) -> None:
        """Takes in the step; from the last step of the warm-up on, scores the domains for the next."""
        self.take_in(batch, step)
        if step < self.mixing.warmup:
            return
        scores = self.score()
        known = ~np.isnan(scores)
        if not known.any():
            return
        scores = np.where(known, scores, scores[known].mean())
        self._updates += 1
        # Running over about one window: the first updates count in full, later ones fade.
        self._variance += (float(scores.var()) - self._variance) / min(self._updates, self.mixing.window)
        self._scores = [float(score) for score in scores]

    def state_dict(self) -> dict[str, Any]:
        """Plain JSON; a subclass adds its own memory."""
        return {
            "scores": self._scores,
            "variance": self._variance,
            "updates": self._updates,
            "window": self.window.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores `state_dict`; raises InputError for what is no such state."""
        self._restore(self.read_state(MixerState, state))

    def read_state(self, kind: type[S], state: Mapping[str, Any]) -> S:
        """`state` as its model; raises InputError, one line, for one that is none or of other domains."""
        try:
            read = kind.model_validate(state)
        except ValidationError as error:
            raise InputError(f"policy {self.name}: no state of it: {describe_faults(error)}") from error
        if read.scores is not None and len(read.scores) != len(self.domains):
            raise InputError(f"policy {self.name}: a state with {len(read.scores)} scores, not {len(self.domains)}")
        return read

    def _restore(self, state: MixerState) -> None:
        self.window.restore(state.window)
        self._scores = None if state.scores is None else list(state.scores)
        self._variance, self._updates = state.variance, state.updates
