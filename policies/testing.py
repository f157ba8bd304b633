"""What every policy must hold, as one call: `check_policy("tscl")`, also for the policies of others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from policies.actuators import get_actuator
from policies.apportion import apportion
from policies.base import Policy, RolloutBatch
from policies.checked import CheckedPolicy
from policies.declaration import declaration_faults
from policies.errors import PolicyError
from policies.registry import create, get, names, resolve
from policies.scorers import get_scorer
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
    seeded; reads nothing but what `requires` names; state round-trips through JSON at any step; inert on constant
    rewards; and, unless it is a control, not inert on realistic ones. A placebo may have any mean and any effect. A
    class must be registered. Raises AssertionError that names the policy and what does not hold.
    """
    name = policy if isinstance(policy, str) else policy.name
    assert isinstance(policy, str) or get(name) is policy, f"{name}: register the class before it is checked"
    try:
        return _checked(name, parameters)
    except PolicyError as error:  # what a run would end with
        raise AssertionError(str(error)) from error


def _checked(name: str, parameters: Mapping[str, object] | None) -> PolicyCheck:
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
            if mean_one:
                _check_mean_one(f"{name}, step {moment.step}", moment)
        changed[drift] = sum(changes(moment, DOMAINS) for moment in moments) / len(moments)
    _check_row_order(name, fresh)
    named = {
        *get(name).requires,
        *(get_scorer(str(found)).requires if (found := spec.parameters.get("scorer")) else ()),
    }
    _check_reads_what_it_says(name, named, fresh)
    _check_seeded_and_resumable(name, fresh)
    if family != "placebo":
        _check_inert_on_constant(name, mean_one, fresh)
    if family not in ("control", "placebo"):
        assert max(changed.values()) > 0.2, f"{name}: inert on realistic rewards, share of steps changed {changed}"
    return PolicyCheck(name, changed)


def _check_description(cls: type[Policy]) -> None:
    assert not (faults := declaration_faults(cls)), f"{cls.name}: {'; '.join(faults)}"
    assert (cls.__doc__ or "").strip(), f"{cls.name}: no docstring with formula, shapes and source"
    assert set(cls.requires) <= set(RolloutBatch._fields), f"{cls.name}: requires {cls.requires}, not all batch fields"
    assert cls.source, f"{cls.name}: no source"
    assert cls.control in names(), f"{cls.name}: its control {cls.control!r} is no policy"
    if actuator := getattr(cls, "actuator", ""):
        missing = set(get_actuator(actuator).Parameters.model_fields) - set(cls.Parameters.model_fields)
        assert not missing, f"{cls.name}: its actuator {actuator} needs the parameters {sorted(missing)}"
    for key, field in cls.Parameters.model_fields.items():
        assert field.description, f"{cls.name}: parameter {key} has no description"


def _check_shares(where: str, floor: float, moment: Moment) -> None:
    if moment.shares is None:
        return
    lowest = min(moment.shares.values())
    assert lowest >= floor - 1e-12, f"{where}: share {lowest} below the floor {floor}"


def _check_mean_one(where: str, moment: Moment) -> None:
    if moment.weights is None:
        return
    weights, mask = moment.weights, moment.batch.mask
    spread = weights if weights.ndim == 2 else np.broadcast_to(weights[:, None], mask.shape)
    carrying = moment.batch.advantages != 0
    mean = float(spread[carrying if carrying.any() else mask].mean())
    assert abs(mean - 1) < 1e-6, f"{where}: weights have mean {mean} over the tokens that carry gradient"


def _check_row_order(name: str, fresh: Callable[[], Policy]) -> None:
    one, other = fresh(), fresh()
    for step in range(1, 21):
        ours, theirs = (CheckedPolicy(policy).shares(step) or {} for policy in (one, other))
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
        CheckedPolicy(one).observe(moment.batch, step)
        CheckedPolicy(other).observe(shuffled.batch, step)


def _check_reads_what_it_says(name: str, named: set[str], fresh: Callable[[], Policy]) -> None:
    for field in sorted({"rewards", "advantages", "log_probs", "groups", "domains"} - named):
        one, other = fresh(), fresh()
        for step in range(1, 9):
            counts = apportion(equal_shares(DOMAINS), PROMPTS, 0, step)
            batch = grpo_batch(counts, drifting("middle")(step), stream("reads", step))
            spoiled = batch._replace(**{field: np.roll(getattr(batch, field), 7, axis=0)})
            moments = [answers(one, batch, step), answers(other, spoiled, step)]
            moments = [moments[0]._replace(shares=one.shares(step)), moments[1]._replace(shares=other.shares(step))]
            _assert_same(f"{name}: reads {field}, which `requires` does not name", moments[:1], moments[1:])
            one.observe(batch, step)
            other.observe(spoiled, step)


def _check_seeded_and_resumable(name: str, fresh: Callable[[], Policy]) -> None:
    whole = list(simulate(fresh(), drifting("middle"), last=30))
    _assert_same(f"{name}: same seed, other actions", whole, list(simulate(fresh(), drifting("middle"), last=30)))
    for stop in (1, 7, 19):
        before = fresh()
        for _ in simulate(before, drifting("middle"), last=stop):
            pass
        after = fresh()
        CheckedPolicy(after).load_state_dict(CheckedPolicy(before).state_dict())
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
    checked = CheckedPolicy(policy)
    for step in range(1, 31):
        shares = checked.shares(step)
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
        weights = checked.weights(flat, step)
        if weights is not None:
            seen = weights[flat.mask] if weights.ndim == 2 else weights
            level: Any = 1.0 if mean_one else seen.mean()
            assert np.allclose(seen, level), f"{name}, step {step}: weights differ although all rollouts are the same"
        checked.observe(flat, step)
