"""Scorers: a signal of the training run -> a number a rollout, a token or a domain, by name.

An actuator turns the numbers into an action. Policies that act on a number a rollout take the scorer's name as their
parameter `scorer`; one of your own is one decorated function.

Shapes: N rollouts, L tokens, D domains, T steps of a window.
"""

import difflib
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from policies.base import Floats, RolloutBatch
from policies.blocks import row_blocks
from policies.errors import InputError
from policies.model import shortened

Kind = Literal["rollout", "token", "domain"]
F = TypeVar("F", bound=Callable[..., Floats])


class Scorer(NamedTuple):
    """A scorer as it is registered."""

    name: str
    kind: Kind
    score: Callable[..., Floats]
    requires: tuple[str, ...]
    """Fields of `RolloutBatch` that it reads."""
    noise: float
    """Scores closer than this share of the largest are equal but for float noise."""
    about: str


_scorers: dict[str, Scorer] = {}


def scorer(kind: Kind, *requires: str, noise: float = 0.0) -> Callable[[F], F]:
    """Function decorator: makes a scorer known by the function's name; the docstring's first line says what it gives.

    `rollout`: batch -> (N,), >= 0. `token`: batch -> (N, L), >= 0. `domain`: steps (T,), means (T, D) -> (D,).
    Raises InputError for a name that another function has.
    """

    def known(function: F) -> F:
        name, about = function.__name__, (function.__doc__ or "").strip().split("\n")[0]
        other = _scorers.get(name)
        if other is not None and other.score.__module__ != function.__module__:
            raise InputError(f"scorer {name!r} exists already, in {other.score.__module__}: give it another name")
        _scorers[name] = Scorer(name, kind, function, requires, noise, about)
        return function

    return known


def get_scorer(name: str, kind: Kind = "rollout") -> Scorer:
    """The scorer of that name and kind; raises InputError that names the nearest or all that fit."""
    found = _scorers.get(name)
    if found is not None and found.kind == kind:
        return found
    fitting = scorer_names(kind)
    near = difflib.get_close_matches(name[:100], fitting, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(fitting)}"
    raise InputError(f"unknown scorer {shortened(name)} of a {kind}; {hint}")


def scorer_names(kind: Kind = "rollout") -> tuple[str, ...]:
    """Every scorer of that kind, sorted."""
    return tuple(sorted(name for name, known in _scorers.items() if known.kind == kind))


@scorer("rollout", "rewards")
def reward(batch: RolloutBatch) -> Floats:
    """(N,) the rollout's reward."""
    return np.asarray(batch.rewards, dtype=np.float64)


@scorer("rollout", "rewards", "groups")
def solve_rate(batch: RolloutBatch) -> Floats:
    """(N,) share of the rollouts of its group that have a reward above .5."""
    _, members = np.unique(batch.groups, return_inverse=True)
    solved = np.bincount(members, weights=np.asarray(batch.rewards) > 0.5)
    rates: Floats = (solved / np.bincount(members))[members]
    return rates


@scorer("rollout", "advantages", "mask", noise=1e-5)
def mean_abs_advantage(batch: RolloutBatch) -> Floats:
    """(N,) mean of |A| over a rollout's tokens that count; 0 for a rollout without any."""
    # noise: float32 advantages of equal rewards differ by ~1e-7 of their size
    total = np.empty(len(batch.advantages))
    for rows in row_blocks(batch.advantages.shape):
        np.abs(batch.advantages[rows]).sum(axis=1, dtype=np.float64, out=total[rows])
    scores: Floats = total / np.maximum(lengths(batch), 1)
    return scores


@scorer("rollout", "rewards", "mask")
def reward_per_token(batch: RolloutBatch) -> Floats:
    """(N,) reward divided by the number of tokens that count."""
    scores: Floats = np.asarray(batch.rewards, dtype=np.float64) / np.maximum(lengths(batch), 1)
    return scores


@scorer("rollout", "mask")
def shortness(batch: RolloutBatch) -> Floats:
    """(N,) 1 / number of tokens that count: the shorter, the higher."""
    scores: Floats = 1.0 / np.maximum(lengths(batch), 1)
    return scores


@scorer("token", "log_probs")
def token_probability(batch: RolloutBatch) -> Floats:
    """(N, L) probability of the token under the rollout policy; 1 where masked."""
    probabilities: Floats = np.exp(batch.log_probs)
    return probabilities


@scorer("domain")
def abs_slope(steps: Floats, values: Floats) -> Floats:
    """(D,) |slope| of the least-squares line through a domain's (step, value) points.

    `steps` (T,), `values` (T, D) with NaN where a domain had no rollout. NaN for a domain with fewer than two points.
    """
    seen = ~np.isnan(values)
    points = seen.sum(axis=0)
    enough = points >= 2
    divisor = np.maximum(points, 1)
    x = np.where(seen, steps[:, None], 0.0)
    y = np.where(seen, values, 0.0)
    x = np.where(seen, x - x.sum(axis=0) / divisor, 0.0)
    y = np.where(seen, y - y.sum(axis=0) / divisor, 0.0)
    squares = (x * x).sum(axis=0)
    spread = np.where(squares > 0, squares, 1.0)
    slopes: Floats = np.where(enough, np.abs((x * y).sum(axis=0) / spread), np.nan)
    return slopes


@scorer("domain")
def window_mean(steps: Floats, values: Floats) -> Floats:
    """(D,) mean of a domain's step values; each step counts once, however many rollouts it had.

    `steps` (T,), `values` (T, D) with NaN where a domain had no rollout. NaN for a domain without any.
    """
    seen = ~np.isnan(values)
    points = seen.sum(axis=0)
    sums = np.where(seen, values, 0.0).sum(axis=0)
    means: Floats = np.where(points > 0, sums / np.maximum(points, 1), np.nan)
    return means


@scorer("domain")
def gap_to_best(steps: Floats, values: Floats) -> Floats:
    """(D,) how far a domain's mean lies below the best domain's: max over domains - mean.

    `steps` (T,), `values` (T, D) with NaN where a domain had no rollout. NaN for a domain without any.
    """
    means = window_mean(steps, values)
    gaps: Floats = np.nanmax(means) - means if not np.isnan(means).all() else means
    return gaps


def lengths(batch: RolloutBatch) -> np.ndarray[Any, np.dtype[np.int64]]:
    """(N,) tokens that count."""
    tokens: np.ndarray[Any, np.dtype[np.int64]] = np.count_nonzero(batch.mask, axis=1)
    return tokens
