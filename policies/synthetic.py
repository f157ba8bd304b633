"""Made-up rollouts and runs, on which policies are tested: closed loops in which shares decide what comes next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.apportion import apportion
from policies.base import Floats, Policy, RolloutBatch
from policies.checked import CheckedPolicy
from policies.delivery import advantage_dose, weight_dose
from policies.seeding import stream

DOMAINS = ("math", "logic", "science")
PROMPTS, ROLLOUTS, TOKENS, STEPS = 16, 5, 12, 60

DRIFTS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "easy": {"math": (0.80, 0.95), "logic": (0.85, 0.93), "science": (0.75, 0.95)},
    "middle": {"math": (0.45, 0.60), "logic": (0.40, 0.60), "science": (0.48, 0.58)},
    "hard": {"math": (0.02, 0.10), "logic": (0.03, 0.06), "science": (0.01, 0.12)},
}
"""Reward streams as real runs have them: mean solve rate of each domain at the first and at the last step."""


class Moment(NamedTuple):
    """What a policy did in one step."""

    step: int
    shares: Mapping[str, float] | None
    counts: Mapping[str, int]
    """Prompts of each domain."""
    refused: NDArray[np.bool_] | None
    rewards: Floats | None
    advantages: Floats | None
    batch: RolloutBatch
    """With the policy's rewards and advantages, where it gave any."""
    weights: Floats | None
    kept_everything: bool


def grpo_advantages(rewards: Floats, groups: NDArray[np.int64], mask: NDArray[np.bool_]) -> Floats:
    """(N, L) GRPO's: (r - group mean) / (group sd + 1e-6), sd with n - 1, the same on each of a rollout's tokens."""
    _, members, counts = np.unique(groups, return_inverse=True, return_counts=True)
    apart = rewards - (np.bincount(members, weights=rewards) / counts)[members]
    apart = np.where(np.abs(apart) < 1e-9, 0.0, apart)
    spread = np.sqrt(np.bincount(members, weights=apart * apart) / np.maximum(counts - 1, 1))
    advantages: Floats = np.where(mask, (apart / (spread[members] + 1e-6))[:, None], 0.0)
    return advantages


def grpo_batch(
    counts: Mapping[str, int], rates: Mapping[str, float], rng: np.random.Generator, rollouts: int = ROLLOUTS
) -> RolloutBatch:
    """A step's rollouts: `counts` prompts of each domain, each with a solve rate around its domain's, 0/1 rewards."""
    domains = np.repeat([name for name, count in counts.items() for _ in range(count)], rollouts)
    level = np.array([rates[name] for name, count in counts.items() for _ in range(count)])
    # Prompts of one domain differ: Beta with concentration 2 has as many nearly solved as nearly unsolved ones.
    solve = rng.beta(2 * np.clip(level, 0.005, 0.995), 2 * (1 - np.clip(level, 0.005, 0.995)))
    rewards = (rng.random((len(level), rollouts)) < solve[:, None]).astype(np.float64).reshape(-1)
    groups = np.repeat(np.arange(len(level)), rollouts)
    mask = np.arange(TOKENS)[None, :] < rng.integers(2, TOKENS + 1, size=len(rewards))[:, None]
    return RolloutBatch(
        rewards=rewards,
        advantages=grpo_advantages(rewards, groups, mask),
        log_probs=np.where(mask, np.log(rng.uniform(0.05, 1.0, size=mask.shape)), 0.0),
        mask=mask,
        groups=groups,
        domains=domains,
        indices=np.tile(np.arange(rollouts), len(level)),
    )


def simulate(
    policy: Policy,
    rates: Callable[[int], Mapping[str, float]],
    *,
    first: int = 1,
    last: int = STEPS,
    seed: int = 0,
    rollouts: int = ROLLOUTS,
) -> Iterator[Moment]:
    """Runs `policy` for steps `first`..`last` against seeded rollouts whose mean solve rates are `rates(step)`.

    It is asked as the trainer asks; refused groups are noted and stay. Raises PolicyError for an answer of no use.
    """
    checked = CheckedPolicy(policy)
    for step in range(first, last + 1):
        shares = checked.shares(step)
        counts = apportion(shares, PROMPTS, seed, step) if shares else dict(_untouched(policy.domains, seed, step))
        batch = _rolled_out(seed, step, tuple(counts.items()), tuple(rates(step).items()), rollouts)
        moment = answers(policy, batch, step)
        yield moment._replace(shares=shares, counts=counts)
        checked.observe(moment.batch, step)


@lru_cache(maxsize=1024)
def _rolled_out(
    seed: int, step: int, counts: tuple[tuple[str, int], ...], rates: tuple[tuple[str, float], ...], rollouts: int
) -> RolloutBatch:
    """Locked: policies that do not act on prompts see the very same rollouts."""
    return grpo_batch(dict(counts), dict(rates), stream("simulate", seed, step), rollouts).read_only()


@lru_cache(maxsize=1024)
def _untouched(domains: tuple[str, ...], seed: int, step: int) -> Mapping[str, int]:
    return MappingProxyType(apportion(equal_shares(domains), PROMPTS, seed, step))


def answers(policy: Policy, batch: RolloutBatch, step: int) -> Moment:
    """What the policy makes of one step's rollouts, asked in the trainer's order; `shares` and `counts` are empty."""
    checked, before = CheckedPolicy(policy), batch._replace(advantages=np.zeros_like(batch.advantages))
    refused = checked.refused(before, step) if policy.parameters.refill_rounds else None
    rewards = checked.rewards(before, step)
    if rewards is not None:
        fresh = grpo_advantages(rewards, batch.groups, batch.mask)
        batch = batch._replace(rewards=np.array(rewards), advantages=fresh)
    advantages = checked.advantages(batch, step)
    if advantages is not None:
        batch = batch._replace(advantages=np.array(advantages))
    weights = checked.weights(batch, step)
    return Moment(step, None, {}, refused, rewards, advantages, batch, weights, policy.kept_everything)


def equal_shares(domains: Sequence[str]) -> dict[str, float]:
    """1 / D each."""
    return dict.fromkeys(domains, 1 / len(domains))


def drifting(name: str) -> Callable[[int], Mapping[str, float]]:
    """The stream of `DRIFTS` with that name, linear over `STEPS` steps."""
    ends = DRIFTS[name]
    return lambda step: {d: low + (high - low) * (step - 1) / (STEPS - 1) for d, (low, high) in ends.items()}


def steps_changed(
    policy: Policy, rates: Callable[[int], Mapping[str, float]], *, seed: int = 0, rollouts: int = ROLLOUTS
) -> float:
    """Share of steps in which the policy changes what equal shares, equal weights and measured rewards would do."""
    moments = simulate(policy, rates, seed=seed, rollouts=rollouts)
    return sum(changes(moment, policy.domains, seed) for moment in moments) / STEPS


def changes(moment: Moment, domains: Sequence[str], seed: int = 0) -> bool:
    """Whether this step of `simulate` is another than with equal shares, equal weights and measured rewards."""
    batch, untouched = moment.batch, _untouched(tuple(domains), seed, moment.step)
    if (
        moment.rewards is not None
        or moment.counts != untouched
        or (moment.refused is not None and moment.refused.any())
    ):
        return True
    if moment.advantages is not None:
        graded = grpo_advantages(batch.rewards, batch.groups, batch.mask)
        if advantage_dose(moment.advantages, graded) > 1e-6:
            return True
    return weight_dose(moment.weights, batch.advantages) > 1e-6


def permuted(batch: RolloutBatch, order: np.ndarray[Any, np.dtype[np.int64]]) -> RolloutBatch:
    """The same rollouts in other rows."""
    fields: dict[str, Any] = {key: None if field is None else field[order] for key, field in batch._asdict().items()}
    return RolloutBatch(**fields)
