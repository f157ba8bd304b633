"""What every policy must hold, as one call: `check_policy("tscl")`, also for the policies of others.

The synthetic runs here are closed loops: the policy's shares decide which domains the next step's rollouts come from.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from policies.apportion import apportion
from policies.base import Floats, Policy, RolloutBatch
from policies.delivery import weight_dose
from policies.registry import create, get, resolve
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
    batch: RolloutBatch
    weights: Floats | None
    kept_everything: bool


class PolicyCheck(NamedTuple):
    """Result of `check_policy`: what could be measured beside what holds."""

    name: str
    steps_changed: dict[str, float]
    """Reward stream -> share of its steps in which the policy changed the prompts' domains or the loss weights."""


def grpo_batch(
    counts: Mapping[str, int], rates: Mapping[str, float], rng: np.random.Generator, rollouts: int = ROLLOUTS
) -> RolloutBatch:
    """A step's rollouts: `counts` prompts of each domain, each with a solve rate around its domain's, 0/1 rewards.

    Advantages are GRPO's: (r - group mean) / (group sd + 1e-6), the same on each of a rollout's tokens.
    """
    domains = np.repeat([name for name, count in counts.items() for _ in range(count)], rollouts)
    level = np.array([rates[name] for name, count in counts.items() for _ in range(count)])
    # Prompts of one domain differ: Beta with concentration 2 has as many nearly solved as nearly unsolved ones.
    solve = rng.beta(2 * np.clip(level, 0.005, 0.995), 2 * (1 - np.clip(level, 0.005, 0.995)))
    rewards = (rng.random((len(level), rollouts)) < solve[:, None]).astype(np.float64)
    scale = rewards.std(axis=1, ddof=1, keepdims=True) + 1e-6
    advantages = ((rewards - rewards.mean(axis=1, keepdims=True)) / scale).reshape(-1)
    lengths = rng.integers(2, TOKENS + 1, size=len(advantages))
    mask = np.arange(TOKENS)[None, :] < lengths[:, None]
    return RolloutBatch(
        rewards=rewards.reshape(-1),
        advantages=np.where(mask, advantages[:, None], 0.0),
        log_probs=np.where(mask, np.log(rng.uniform(0.05, 1.0, size=mask.shape)), 0.0),
        mask=mask,
        groups=np.repeat(np.arange(len(level)), rollouts),
        domains=domains,
        indices=np.tile(np.arange(rollouts), len(level)),
    )


def simulate(
    policy: Policy, rates: Callable[[int], Mapping[str, float]], *, first: int = 1, last: int = STEPS, seed: int = 0
) -> Iterator[Moment]:
    """Runs `policy` for steps `first`..`last` against seeded rollouts whose mean solve rates are `rates(step)`."""
    for step in range(first, last + 1):
        shares = policy.shares(step)
        counts = apportion(shares or equal_shares(policy.domains), PROMPTS, seed, step)
        batch = grpo_batch(counts, rates(step), stream("simulate", seed, step))
        for field in batch:
            if field is not None:
                field.flags.writeable = False
        weights = policy.weights(batch, step)
        yield Moment(step, shares, counts, batch, weights, policy.kept_everything)
        policy.observe(batch, step)


def equal_shares(domains: Sequence[str]) -> dict[str, float]:
    """1 / D each."""
    return dict.fromkeys(domains, 1 / len(domains))


def drifting(name: str) -> Callable[[int], Mapping[str, float]]:
    """The stream of `DRIFTS` with that name, linear over `STEPS` steps."""
    ends = DRIFTS[name]
    return lambda step: {d: low + (high - low) * (step - 1) / (STEPS - 1) for d, (low, high) in ends.items()}


def steps_changed(policy: Policy, rates: Callable[[int], Mapping[str, float]], *, seed: int = 0) -> float:
    """Share of steps in which the policy changes what equal shares and equal weights would do."""
    changed = 0
    for moment in simulate(policy, rates, seed=seed):
        untouched = apportion(equal_shares(policy.domains), PROMPTS, seed, moment.step)
        dose = weight_dose(moment.weights, moment.batch.advantages)
        changed += moment.counts != untouched or dose > 1e-6
    return changed / STEPS


def permuted(batch: RolloutBatch, order: np.ndarray[Any, np.dtype[np.int64]]) -> RolloutBatch:
    """The same rollouts in other rows."""
    fields: dict[str, Any] = {key: None if field is None else field[order] for key, field in batch._asdict().items()}
    return RolloutBatch(**fields)


def check_policy(policy: str | type[Policy], parameters: Mapping[str, object] | None = None) -> PolicyCheck:
    """Checks the contract of `policies.base.Policy`, with the defaults or with some `parameters`.

    Description complete; shapes, finite, non-negative; weights mean-one over the tokens that carry gradient; shares
    sum to one and hold the floor; inputs left alone; independent of row order; seeded; state round-trips through JSON
    at any step; inert on constant rewards; and, unless it is a control, not inert on realistic ones. A class must be
    registered. Raises AssertionError that names the policy and what does not hold.
    """
    name = policy if isinstance(policy, str) else policy.name
    assert isinstance(policy, str) or get(name) is policy, f"{name}: register the class before it is checked"
    spec = resolve(name, parameters)

    def fresh(seed: int = 3) -> Policy:
        return create(spec, DOMAINS, seed)

    _check_description(get(name))
    floor = float(spec.parameters.get("floor", 0.0))
    for drift in DRIFTS:
        for moment in simulate(fresh(), drifting(drift)):
            _check_moment(f"{name}, step {moment.step}", floor, moment)
    _check_row_order(name, fresh)
    _check_seeded_and_resumable(name, fresh)
    _check_inert_on_constant(name, fresh)
    changed = {drift: steps_changed(fresh(), drifting(drift)) for drift in DRIFTS}
    if get(name).family != "control":
        assert max(changed.values()) > 0.2, f"{name}: inert on realistic rewards, share of steps changed {changed}"
    return PolicyCheck(name, changed)


def _check_description(cls: type[Policy]) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", cls.name), f"{cls.name!r}: a name is lower case letters, digits and _"
    assert (cls.__doc__ or "").strip(), f"{cls.name}: no docstring with formula, shapes and source"
    assert set(cls.requires) <= set(RolloutBatch._fields), f"{cls.name}: requires {cls.requires}, not all batch fields"
    assert cls.source, f"{cls.name}: no source"
    get(cls.control)
    for key, field in cls.Parameters.model_fields.items():
        assert not field.is_required(), f"{cls.name}: parameter {key} has no default"
        assert field.description, f"{cls.name}: parameter {key} has no description"


def _check_moment(where: str, floor: float, moment: Moment) -> None:
    if moment.shares is not None:
        values = np.array([moment.shares[domain] for domain in DOMAINS])
        assert set(moment.shares) == set(DOMAINS), f"{where}: shares of {set(moment.shares)}"
        assert np.isfinite(values).all(), f"{where}: shares {values} not finite"
        assert abs(values.sum() - 1) < 1e-9, f"{where}: shares sum to {values.sum()}"
        assert values.min() >= floor - 1e-12, f"{where}: share {values.min()} below the floor {floor}"
    if moment.weights is not None:
        weights, mask = moment.weights, moment.batch.mask
        assert weights.shape in (mask.shape, mask.shape[:1]), f"{where}: weights of shape {weights.shape}"
        assert np.isfinite(weights).all(), f"{where}: weights not finite"
        assert (weights >= 0).all(), f"{where}: negative weights"
        spread = weights if weights.ndim == 2 else np.broadcast_to(weights[:, None], mask.shape)
        carrying = moment.batch.advantages != 0
        mean = float(spread[carrying if carrying.any() else mask].mean())
        assert abs(mean - 1) < 1e-6, f"{where}: weights have mean {mean} over the tokens that carry gradient"


def _check_row_order(name: str, fresh: Callable[[], Policy]) -> None:
    other = fresh()
    for moment in simulate(fresh(), drifting("middle"), last=20):
        order = stream("rows", moment.step).permutation(len(moment.batch.rewards))
        shuffled = permuted(moment.batch, order)
        weights = other.weights(shuffled, moment.step)
        assert (weights is None) == (moment.weights is None), f"{name}: weights or none depends on row order"
        if weights is not None and moment.weights is not None:
            same = np.allclose(weights, moment.weights[order], rtol=1e-9)
            assert same, f"{name}, step {moment.step}: a rollout's weight depends on its row"
        ours, theirs = moment.shares or {}, other.shares(moment.step) or {}
        close = set(ours) == set(theirs) and all(abs(ours[d] - theirs[d]) < 1e-9 for d in ours)
        assert close, f"{name}, step {moment.step}: shares depend on row order"
        other.observe(shuffled, moment.step)


def _check_seeded_and_resumable(name: str, fresh: Callable[[], Policy]) -> None:
    whole = list(simulate(fresh(), drifting("middle"), last=30))
    _assert_same(f"{name}: same seed, other actions", whole, list(simulate(fresh(), drifting("middle"), last=30)))
    for stop in (1, 7, 19):
        before = fresh()
        for _ in simulate(before, drifting("middle"), last=stop):
            pass
        after = fresh()
        after.load_state_dict(json.loads(json.dumps(before.state_dict(), allow_nan=False)))
        rest = list(simulate(after, drifting("middle"), first=stop + 1, last=30))
        _assert_same(f"{name}: resumed after step {stop}, goes on otherwise", whole[stop:], rest)


def _assert_same(what: str, ones: Sequence[Moment], others: Sequence[Moment]) -> None:
    for one, other in zip(ones, others, strict=True):
        assert one.shares == other.shares, f"{what} (shares of step {one.step})"
        equal = one.weights is other.weights or np.array_equal(np.asarray(one.weights), np.asarray(other.weights))
        assert equal, f"{what} (weights of step {one.step})"


def _check_inert_on_constant(name: str, fresh: Callable[[], Policy]) -> None:
    policy = fresh()
    for step in range(1, 31):
        shares = policy.shares(step)
        counts = apportion(equal_shares(DOMAINS), PROMPTS, 0, step)
        batch = grpo_batch(counts, dict.fromkeys(DOMAINS, 0.5), stream("constant", step))
        # Means of .7 over unequal numbers of rollouts differ in their last bit: such a spread must count as none.
        flat = batch._replace(
            rewards=np.full_like(batch.rewards, 0.7),
            advantages=np.zeros_like(batch.advantages),
            log_probs=np.where(batch.mask, -0.7, 0.0),
        )
        if shares is not None and policy.family != "control":
            even = all(abs(share - 1 / len(DOMAINS)) < 1e-6 for share in shares.values())
            assert even, f"{name}, step {step}: shares {shares} although every reward is the same"
        weights = policy.weights(flat, step)
        if weights is not None:
            assert np.allclose(weights, 1.0), f"{name}, step {step}: weights differ although all rollouts are the same"
        policy.observe(flat, step)
