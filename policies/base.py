"""What a data policy is: a pure, seeded object that sees rollouts and answers with shares or weights.

Shapes: N rollouts in a step, L response tokens (padded), D domains. The trainer calls, in each step t = 1, 2, ...:

    shares(t)             before rollout: each domain's share of this step's prompts, or None (uniform over the pool)
    refused(batch, t)     after rollout, at most `parameters.refill_rounds` times (0: never): the rollouts whose groups
                          make room for fresh prompts, or None
    rewards(batch, t)     before the advantages: rewards to train on (N,), or None (the graded ones)
    advantages(batch, t)  after GRPO's advantages: others (N, L) to train on, or None (GRPO's)
    weights(batch, t)     then: one weight a rollout (N,) or a token (N, L), or None (all ones)
    observe(batch, t)     last: the step's signals, for the decisions of step t + 1

Each answer is part of the batch that the next one sees. All but `observe` change no state and may be asked again;
`observe` is called once a step, in order.
"""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field

from policies.errors import InputError
from policies.model import StrictModel

Floats = NDArray[np.floating[Any]]
Family = Literal["control", "selection", "reweighting", "mixing", "placebo"]


class PolicySpec(StrictModel):
    """A policy by name with *every* parameter filled in; made by `policies.registry.resolve`."""

    name: str
    parameters: dict[str, bool | int | float | str] = Field(default_factory=dict)

    def __str__(self) -> str:
        inner = ", ".join(f"{key}={value}" for key, value in sorted(self.parameters.items()))
        return f"{self.name}({inner})" if inner else self.name


class RolloutBatch(NamedTuple):
    """One step's rollouts as the trainer has them after the advantages were computed."""

    rewards: Floats
    """(N,) in [0, 1]."""
    advantages: Floats
    """(N, L), 0 where masked."""
    log_probs: Floats
    """(N, L) of the rollout policy (the trainer's old log-probs), 0 where masked."""
    mask: NDArray[np.bool_]
    """(N, L), true for response tokens that count."""
    groups: NDArray[np.int64]
    """(N,) which prompt of the step a rollout answers."""
    domains: NDArray[np.str_]
    """(N,)."""
    indices: NDArray[np.int64] | None = None
    """(N,) which of its prompt's rollouts a row is; None: rows of one group come in that order."""

    def read_only(self) -> "RolloutBatch":
        """The same rollouts, which whoever has this one cannot change."""
        locked: dict[str, Any] = {key: None if field is None else field.view() for key, field in self._asdict().items()}
        for field in locked.values():
            if field is not None:
                field.flags.writeable = False
        return RolloutBatch(**locked)


class PolicyParameters(StrictModel):
    """Typed and bounded parameters of one policy; each field's description says its unit and whose default it is."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @property
    def refill_rounds(self) -> int:
        """How often a step may replace refused groups by fresh prompts.

        Above 0 a step rolls out up to 1 + refill_rounds times as much as its control's: no matched pair, unless the
        plan matches total rollouts or GPU-hours.
        """
        return 0


class Policy(ABC):
    """Base class; a policy overrides what it acts on. Same inputs, seed and state give the same output."""

    name: ClassVar[str]
    family: ClassVar[Family]
    control: ClassVar[str]
    """The usual control: `static` for mixers, `baseline` for the rest."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """What people call it, lower case (English and Chinese); read by the question reader."""
    requires: ClassVar[tuple[str, ...]] = ()
    """Fields of `RolloutBatch` that it reads."""
    signal: ClassVar[str] = ""
    """What it looks at -> what it does, in a line."""
    formula: ClassVar[str] = ""
    """Its action in one line of plain text."""
    source: ClassVar[str] = ""
    inert_when: ClassVar[str] = ""
    """Where it is expected to change nothing."""
    Parameters: ClassVar[type[PolicyParameters]] = PolicyParameters
    kept_everything: bool = False
    """The last answer of `weights` came from a selector that would have kept nothing, and kept everything instead."""

    def __init__(self, parameters: PolicyParameters, domains: Sequence[str], seed: int) -> None:
        self.parameters = parameters
        self.domains = tuple(domains)
        self.seed = seed

    def shares(self, step: int) -> Mapping[str, float] | None:
        """Domain shares of this step's prompts, summing to 1; None: uniform over the pool."""
        return None

    def refused(self, batch: RolloutBatch, step: int) -> NDArray[np.bool_] | None:
        """(N,) true for the rollouts (whole groups) that fresh prompts replace before training, or None: for none.

        Asked before there are advantages, as long as `parameters.refill_rounds` allows another round.
        """
        return None

    def rewards(self, batch: RolloutBatch, step: int) -> Floats | None:
        """(N,) rewards in [0, 1] to train on instead of the graded ones, or None: the graded ones.

        Asked before there are advantages: `batch.advantages` is 0 everywhere. Scoring is never affected.
        """
        return None

    def advantages(self, batch: RolloutBatch, step: int) -> Floats | None:
        """(N, L) advantages to train on instead of those of `batch`, 0 where masked, or None: those of `batch`."""
        return None

    def weights(self, batch: RolloutBatch, step: int) -> Floats | None:
        """Non-negative loss weights, (N,) or (N, L), or None: all ones.

        Mean one over the tokens that count and carry gradient (advantage not 0), so that the effective step size
        stays comparable. A uniform factor on all weights would change next to nothing under Adam.
        """
        return None

    def observe(self, batch: RolloutBatch, step: int) -> None:  # noqa: B027 - most policies keep no state
        """Takes in the step's signals."""

    def state_dict(self) -> dict[str, Any]:
        """Plain JSON; `load_state_dict` of it continues identically."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` gave; raises InputError for what it cannot have given."""
        if state != {}:
            raise InputError(f"policy {self.name} keeps no state, so this is not its own: {state!s:.80}")
