"""Selection: a number a rollout -> which rollouts the loss sees.

Kept rollouts share one weight, the others have 0. The weight makes the mean one over the tokens that count *and carry
gradient*: dropping only rollouts without gradient leaves every other weight at 1, and is the no-op that it should be.

Shapes: N rollouts, P prompts (groups) of G rollouts each, L tokens.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from policies.actuators import ScoredPolicy, ScorerChoice, actuator, interchangeable
from policies.base import Floats, PolicyParameters, RolloutBatch
from policies.model import shortened
from policies.parameter import parameter
from policies.scorers import get_scorer
from policies.ties import Keys, place_in_run

Kept = NDArray[np.bool_]


class Selection(NamedTuple):
    """What a selector does to one step."""

    weights: Floats
    """(N,)."""
    kept_everything: bool
    """It would have kept nothing that carries gradient."""


def keep(batch: RolloutBatch, kept: Kept) -> Selection:
    """Weights for a chosen set of rollouts, `kept` (N,).

    If no kept rollout carries gradient, all are kept: a step of zero weights is not "off", because KL and the
    optimizer's momentum still move the parameters.
    """
    carrying = np.count_nonzero(batch.advantages != 0, axis=1)
    chosen = int(carrying[kept].sum())
    if chosen == 0:
        return Selection(np.ones(len(kept)), kept_everything=True)
    return Selection(np.where(kept, carrying.sum() / chosen, 0.0), kept_everything=False)


def subset_advantages(batch: RolloutBatch, kept: Kept) -> Floats | None:
    """(N, L) GRPO's advantages over the kept rollouts of each group alone: (r - mean) / (sd + 1e-6), sd with n - 1.

    What is not kept has its advantage of before (and weight 0). A group of which one is kept gives 0. None when no kept
    rollout would carry gradient.
    """
    _, members = np.unique(batch.groups, return_inverse=True)
    rewards = np.asarray(batch.rewards, dtype=np.float64)
    counts = np.bincount(members, weights=kept)
    means = np.bincount(members, weights=kept * rewards) / np.maximum(counts, 1)
    apart = np.where(kept, rewards - means[members], 0.0)
    # equal rewards differ from their mean by float dust, which the small sd would blow up to an advantage
    apart[np.abs(apart) < 1e-9] = 0.0
    spread = np.sqrt(np.bincount(members, weights=apart * apart) / np.maximum(counts - 1, 1))
    fresh = apart / (spread[members] + 1e-6)
    if not fresh.any():
        return None
    rows = np.where(batch.mask, fresh[:, None].astype(batch.advantages.dtype), 0)
    advantages: Floats = np.where(kept[:, None], rows, batch.advantages)
    return advantages


class SelectionPolicy(ScoredPolicy):
    """Base of the selectors: scorer and actuator say which rollouts are kept."""

    family = "selection"

    def weights(self, batch: RolloutBatch, step: int) -> Floats:
        """(N,) 0 or c, with mean one over the tokens that carry gradient."""
        selection = keep(batch, self.act(batch, step))
        self.kept_everything = selection.kept_everything
        return selection.weights


class RecomputeChoice(PolicyParameters):
    """Parameters of a selector that may compute advantages anew."""

    recompute_advantage: bool = parameter(
        False,
        "compute advantages anew over the kept rollouts of each group, as the paper does; else GRPO's over all",
        whose="the study's",
    )


class RecomputeByScore(RecomputeChoice, ScorerChoice):
    """As `RecomputeChoice`, of a selector whose scorer can be swapped."""

    @model_validator(mode="after")
    def _kept_by_what_stays(self) -> "RecomputeByScore":
        if self.recompute_advantage and "advantages" in get_scorer(self.scorer).requires:
            raise ValueError(
                f"recompute_advantage changes what scorer={self.scorer} reads, so that other rollouts would be kept: "
                "name another scorer, or leave recompute_advantage=false"
            )
        return self


class SubsetPolicy(SelectionPolicy):
    """Base of the selectors within a group, which may take the kept rollouts for the whole group.

    Its parameters are a `RecomputeChoice`.
    """

    def advantages(self, batch: RolloutBatch, step: int) -> Floats | None:
        """`subset_advantages` of the kept rollouts, where `recompute_advantage` says so."""
        assert isinstance(self.parameters, RecomputeChoice)
        return subset_advantages(batch, self.act(batch, step)) if self.parameters.recompute_advantage else None


class KeepFraction(PolicyParameters):
    """How large a part is kept."""

    keep_fraction: float = parameter(
        0.5,
        "share that is kept, rounded as Python does, at least one",
        whose="the study's",
        unit="share of the rollouts",
        gt=0,
        le=1,
    )


class KeepCount(PolicyParameters):
    """How many are kept."""

    k: int = parameter(3, "kept of each group, at most all", whose="the study's", unit="rollouts", ge=1, le=4096)


class KeepBand(PolicyParameters):
    """Which scores are kept."""

    low: float = parameter(0.2, "lower end of the band", whose="the study's", unit="solve rate", ge=0, le=1)
    high: float = parameter(0.8, "upper end of the band", whose="the study's", unit="solve rate", ge=0, le=1)
    inclusive: bool = parameter(False, "whether the ends belong to the band", whose="the study's")

    @model_validator(mode="after")
    def _in_order(self) -> "KeepBand":
        if self.low > self.high or (self.low == self.high and not self.inclusive):
            raise ValueError(f"low must lie below high (got low={self.low:g}, high={self.high:g})")
        return self


class FractionChoice(KeepFraction):
    """A kept share whose actuator can be swapped for another that keeps a share."""

    actuator: str = parameter("keep_highest", "name of what keeps them", whose="the study's")

    @field_validator("actuator")
    @classmethod
    def _fits(cls, name: str) -> str:
        fitting = interchangeable("keep_highest")
        if name not in fitting:
            raise ValueError(f"{shortened(name)} is not one of {', '.join(fitting)}")
        return name


@actuator("selection", KeepFraction)
def keep_highest(scores: Floats, batch: RolloutBatch, parameters: KeepFraction, keys: Keys) -> Kept:
    """Keeps the round(keep_fraction * N) rollouts of the batch with the highest score."""
    order = np.lexsort((keys, -scores))
    kept = np.zeros(len(scores), dtype=bool)
    kept[order[: max(1, round(parameters.keep_fraction * len(scores)))]] = True
    return kept


@actuator("selection", KeepFraction)
def keep_highest_in_group(scores: Floats, batch: RolloutBatch, parameters: KeepFraction, keys: Keys) -> Kept:
    """Keeps in each group of G the round(keep_fraction * G) rollouts with the highest score."""
    _, members, sizes = np.unique(batch.groups, return_inverse=True, return_counts=True)
    counts = np.maximum(1, np.rint(parameters.keep_fraction * sizes))
    return _best_of_group(scores, members, counts[members], keys)


@actuator("selection", KeepFraction)
def keep_extremes(scores: Floats, batch: RolloutBatch, parameters: KeepFraction, keys: Keys) -> Kept:
    """Keeps in each group of G the round(keep_fraction * G) rollouts whose scores have the largest variance."""
    order = np.lexsort((keys, scores, batch.groups))
    _, starts, sizes = np.unique(np.asarray(batch.groups)[order], return_index=True, return_counts=True)
    kept = np.zeros(len(scores), dtype=bool)
    for size in np.unique(sizes):
        rows = order[starts[sizes == size][:, None] + np.arange(size)]
        count = max(1, round(parameters.keep_fraction * int(size)))
        kept[rows] = _widest(scores[rows], count, keys[rows])
    return kept


@actuator("selection", KeepCount)
def keep_best_of_group(scores: Floats, batch: RolloutBatch, parameters: KeepCount, keys: Keys) -> Kept:
    """Keeps in each group the k rollouts with the highest score."""
    return _best_of_group(scores, np.asarray(batch.groups), np.full(len(scores), parameters.k), keys)


@actuator("selection", KeepBand)
def keep_band(scores: Floats, batch: RolloutBatch, parameters: KeepBand, keys: Keys) -> Kept:
    """Keeps the rollouts with low < score < high, or low <= score <= high if inclusive."""
    if parameters.inclusive:
        return (parameters.low <= scores) & (scores <= parameters.high)
    return (parameters.low < scores) & (scores < parameters.high)


def _best_of_group(scores: Floats, members: NDArray[np.int64], counts: Floats | NDArray[np.int64], keys: Keys) -> Kept:
    """(N,) the counts[i] highest of rollout i's group."""
    order = np.lexsort((keys, -scores, members))
    kept = np.zeros(len(scores), dtype=bool)
    kept[order] = place_in_run(members[order]) < counts[order]
    return kept


def _widest(values: Floats, count: int, keys: Keys) -> Kept:
    """(P, G) the `count` values of each row, sorted, with the largest variance: `a` lowest and the rest highest.

    The best `a` is found by trying all; equally good ones are drawn with a number of the whole group.
    """
    size = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    lowest = np.arange(count + 1)

    def sums(x: Floats) -> Floats:
        running = np.concatenate([np.zeros((len(x), 1)), np.cumsum(x, axis=1)], axis=1)
        total: Floats = running[:, lowest] + running[:, -1:] - running[:, size - count + lowest]
        return total

    variance = sums(centred * centred) / count - (sums(centred) / count) ** 2
    # equally good but for rounding, which is as large as the values' own spread makes it
    best = variance >= variance.max(axis=1, keepdims=True) - 1e-12 * (centred * centred).mean(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        draw = keys.sum(axis=1, dtype=np.uint64) / 2.0**64
    pick = np.floor(draw * best.sum(axis=1))[:, None]
    chosen = np.argmax(best & (np.cumsum(best, axis=1) - 1 == pick), axis=1)[:, None]
    place = np.arange(size)
    kept: Kept = (place < chosen) | (place >= size - count + chosen)
    return kept
