"""Actuators: numbers -> an action, by name; and the policies that join a scorer to one.

Shapes: N rollouts, L tokens.
"""

import difflib
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from policies.base import Floats, Policy, PolicyParameters, RolloutBatch
from policies.errors import InputError
from policies.model import shortened
from policies.parameter import parameter
from policies.scorers import get_scorer
from policies.ties import rollout_keys, without_noise

Action = Literal["selection", "reweighting"]
F = TypeVar("F", bound=Callable[..., NDArray[Any]])


class Actuator(NamedTuple):
    """An actuator as it is registered."""

    name: str
    action: Action
    act: Callable[..., NDArray[Any]]
    Parameters: type[PolicyParameters]
    about: str


_actuators: dict[str, Actuator] = {}


def actuator(action: Action, parameters: type[PolicyParameters]) -> Callable[[F], F]:
    """Function decorator: makes an actuator known by the function's name.

    The function takes (scores, batch, parameters, keys): scores (N,) or (N, L) >= 0, its own `parameters` model, and
    `keys` (N,) seeded draws for ties. `selection`: gives which rollouts are kept, (N,) of bool. `reweighting`: gives
    weights >= 0 up to a common factor, of the scores' shape. Raises InputError for a name that another function has.
    """

    def known(function: F) -> F:
        name, about = function.__name__, (function.__doc__ or "").strip().split("\n")[0]
        other = _actuators.get(name)
        if other is not None and other.act.__module__ != function.__module__:
            raise InputError(f"actuator {name!r} exists already, in {other.act.__module__}: give it another name")
        _actuators[name] = Actuator(name, action, function, parameters, about)
        return function

    return known


def get_actuator(name: str) -> Actuator:
    """The actuator of that name; raises InputError that names the nearest or all."""
    if name in _actuators:
        return _actuators[name]
    near = difflib.get_close_matches(name[:100], _actuators, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(_actuators))}"
    raise InputError(f"unknown actuator {shortened(name)}; {hint}")


def interchangeable(name: str) -> tuple[str, ...]:
    """Actuators that do the same kind of thing with the same parameters as this one, itself among them, sorted."""
    one = get_actuator(name)
    same = [other for other in _actuators.values() if other.action == one.action and other.Parameters is one.Parameters]
    return tuple(sorted(other.name for other in same))


class ScorerChoice(PolicyParameters):
    """Parameters of a policy whose scorer can be swapped."""

    scorer: str = parameter("mean_abs_advantage", "name of the number a rollout that it acts on", whose="the study's")

    @field_validator("scorer")
    @classmethod
    def _known(cls, name: str) -> str:
        return get_scorer(name).name


class ScoredPolicy(Policy):
    """scores = scorer(batch), action = actuator(scores): what all selectors and reweighters have in common.

    A subclass names both; a parameter `scorer` or `actuator`, where it has one, goes first.
    """

    control = "baseline"
    scorer: ClassVar[str] = ""
    scores_of: ClassVar[Literal["rollout", "token"]] = "rollout"
    actuator: ClassVar[str] = ""

    def scorer_name(self) -> str:
        """The scorer that is used."""
        return str(getattr(self.parameters, "scorer", self.scorer))

    def act(self, batch: RolloutBatch, step: int) -> NDArray[Any]:
        """What the actuator answers to the scores of `batch`."""
        chosen = get_actuator(getattr(self.parameters, "actuator", self.actuator))
        how = get_scorer(self.scorer_name(), self.scores_of)
        scores: Floats = how.score(batch)
        if self.scores_of == "rollout":
            scores = without_noise(scores, how.noise)
        given = self.parameters.model_dump(include=set(chosen.Parameters.model_fields))
        keys = rollout_keys(batch, self.seed, step)
        return np.asarray(chosen.act(scores, batch, chosen.Parameters.model_validate(given), keys))
