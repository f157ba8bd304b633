"""What every policy must hold, as one call: `check_policy("tscl")`, also for the policies of others."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from policies.actuators import get_actuator
from policies.apportion import apportion
from policies.base import Policy, RolloutBatch
from policies.registry import create, get, resolve
from policies.seeding import stream
from policies.synthetic import (
    DOMAINS,
    DRIFTS,
    PROMPTS,
    Moment,
    answers,
    changes,
    drifting,
    equal_shares,
    grpo_batch,
    permuted,
    simulate,
)


class PolicyCheck(NamedTuple):
    """Result of `check_policy`: what could be measured beside what holds."""

    name: str
    steps_changed: dict[str, float]
    """Reward stream -> share of its steps in which the policy changed the prompts' domains or the loss weights."""


def check_policy(policy: str | type[Policy], parameters: Mapping[str, object] | None = None) -> PolicyCheck:
    """Checks the contract of `policies.base.Policy`, with the defaults or with some `parameters`.

    Description complete; shapes, finite, non-negative; weights mean-one over the tokens that carry gradient (unless a
    parameter `mean_one` is off); shares sum to one and hold the floor; inputs left alone; independent of row order;
    seeded; state round-trips through JSON at any step; inert on constant rewards; and, unless it is a control, not
    inert on realistic ones. A placebo may have any mean and any effect. A class must be registered. Raises
    AssertionError that names the policy and what does not hold.
    """
    name = policy if isinstance(policy, str) else policy.name
    assert isinstance(policy, str) or get(name) is policy, f"{name}: register the class before it is checked"
    spec = resolve(name, parameters)

    def fresh(seed: int = 3) -> Policy:
        return create(spec, DOMAINS, seed)

    family = get(name).family
    _check_description(get(name))
    floor = float(spec.parameters.get("floor", 0.0))
    mean_one = family != "placebo" and bool(spec.parameters.get("mean_one", True))
    changed = {}
    for drift in DRIFTS:
        moments = list(simulate(fresh(), drifting(drift)))
        for moment in moments:
            _check_shares(f"{name}, step {moment.step}", floor, moment)
            _check_training_values(f"{name}, step {moment.step}", moment)
            _check_weights(f"{name}, step {moment.step}", mean_one, moment)
        changed[drift] = sum(changes(moment, DOMAINS) for moment in moments) / len(moments)
    _check_row_order(name, fresh)
    _check_seeded_and_resumable(name, fresh)
    if family != "placebo":
        _check_inert_on_constant(name, mean_one, fresh)
    if family not in ("control", "placebo"):
        assert max(changed.values()) > 0.2, f"{name}: inert on realistic rewards, share of steps changed {changed}"
    return PolicyCheck(name, changed)


def _check_description(cls: type[Policy]) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", cls.name), f"{cls.name!r}: a name is lower case letters, digits and _"
    assert (cls.__doc__ or "").strip(), f"{cls.name}: no docstring with formula, shapes and source"
    assert set(cls.requires) <= set(RolloutBatch._fields), f"{cls.name}: requires {cls.requires}, not all batch fields"
    assert cls.source, f"{cls.name}: no source"
    get(cls.control)
    if actuator := getattr(cls, "actuator", ""):
        missing = set(get_actuator(actuator).Parameters.model_fields) - set(cls.Parameters.model_fields)
        assert not missing, f"{cls.name}: its actuator {actuator} needs the parameters {sorted(missing)}"
    for key, field in cls.Parameters.model_fields.items():
        assert not field.is_required(), f"{cls.name}: parameter {key} has no default"
        assert field.description, f"{cls.name}: parameter {key} has no description"


def _check_shares(where: str, floor: float, moment: Moment) -> None:
    if moment.shares is None:
        return
    values = np.array([moment.shares[domain] for domain in DOMAINS])
    assert set(moment.shares) == set(DOMAINS), f"{where}: shares of {set(moment.shares)}"
    assert np.isfinite(values).all(), f"{where}: shares {values} not finite"
    assert abs(values.sum() - 1) < 1e-9, f"{where}: shares sum to {values.sum()}"
    assert values.min() >= floor - 1e-12, f"{where}: share {values.min()} below the floor {floor}"


def _check_training_values(where: str, moment: Moment) -> None:
    mask, groups = moment.batch.mask, moment.batch.groups
    if moment.refused is not None:
        assert moment.refused.shape == groups.shape, f"{where}: refused of shape {moment.refused.shape}"
        whole = all(len(set(moment.refused[groups == group].tolist())) == 1 for group in np.unique(groups))
        assert whole, f"{where}: refuses part of a group"
    if moment.rewards is not None:
        assert moment.rewards.shape == groups.shape, f"{where}: rewards of shape {moment.rewards.shape}"
        assert ((moment.rewards >= 0) & (moment.rewards <= 1)).all(), f"{where}: rewards outside [0, 1]"
    if moment.advantages is not None:
        assert moment.advantages.shape == mask.shape, f"{where}: advantages of shape {moment.advantages.shape}"
        assert np.isfinite(moment.advantages).all(), f"{where}: advantages not finite"
        assert not moment.advantages[~mask].any(), f"{where}: advantages of masked tokens"


def _check_weights(where: str, mean_one: bool, moment: Moment) -> None:
    if moment.weights is None:
        return
    weights, mask = moment.weights, moment.batch.mask
    assert weights.shape in (mask.shape, mask.shape[:1]), f"{where}: weights of shape {weights.shape}"
    assert np.isfinite(weights).all(), f"{where}: weights not finite"
    assert (weights >= 0).all(), f"{where}: negative weights"
    if mean_one:
        spread = weights if weights.ndim == 2 else np.broadcast_to(weights[:, None], mask.shape)
        carrying = moment.batch.advantages != 0
        mean = float(spread[carrying if carrying.any() else mask].mean())
        assert abs(mean - 1) < 1e-6, f"{where}: weights have mean {mean} over the tokens that carry gradient"


def _check_row_order(name: str, fresh: Callable[[], Policy]) -> None:
    one, other = fresh(), fresh()
    for step in range(1, 21):
        ours, theirs = one.shares(step) or {}, other.shares(step) or {}
        close = set(ours) == set(theirs) and all(abs(ours[d] - theirs[d]) < 1e-9 for d in ours)
        assert close, f"{name}, step {step}: shares depend on row order"
        counts = apportion(ours or equal_shares(DOMAINS), PROMPTS, 0, step)
        batch = grpo_batch(counts, drifting("middle")(step), stream("rows", step))
        order = stream("order", step).permutation(len(batch.rewards))
        moment, shuffled = answers(one, batch, step), answers(other, permuted(batch, order), step)
        for what in ("refused", "rewards", "advantages", "weights"):
            here, there = getattr(moment, what), getattr(shuffled, what)
            assert (here is None) == (there is None), f"{name}: {what} or none depends on row order"
            same = here is None or np.allclose(there, here[order], rtol=1e-9)
            assert same, f"{name}, step {step}: a rollout's {what} depends on its row"
        one.observe(moment.batch, step)
        other.observe(shuffled.batch, step)


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
        for kind in ("refused", "rewards", "advantages", "weights"):
            here, there = getattr(one, kind), getattr(other, kind)
            equal = here is there or np.array_equal(np.asarray(here), np.asarray(there))
            assert equal, f"{what} ({kind} of step {one.step})"


def _check_inert_on_constant(name: str, mean_one: bool, fresh: Callable[[], Policy]) -> None:
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
            seen = weights[flat.mask] if weights.ndim == 2 else weights
            level: Any = 1.0 if mean_one else seen.mean()
            assert np.allclose(seen, level), f"{name}, step {step}: weights differ although all rollouts are the same"
        policy.observe(flat, step)
