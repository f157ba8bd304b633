"""dump_ucb: shares follow the size of a domain's advantages, and a bonus for what was seldom drawn."""

import json

import numpy as np
import pytest

from policies.registry import create, resolve
from policies.synthetic import DOMAINS, drifting, equal_shares, grpo_batch, simulate
from policies.testing import check_policy
from tests.policies.rollout_batches import step_of

MATH, LOGIC, SCIENCE = DOMAINS
ROWS = {MATH: 10, LOGIC: 20, SCIENCE: 30}


def dump_ucb(**parameters):
    return create(resolve("dump_ucb", parameters), DOMAINS, seed=1)


def sized(sizes: dict[str, float], rows: dict[str, int]):
    """A batch in which each domain has this |A| and so many rollouts."""
    batch = step_of(dict.fromkeys(sizes, 0.5), rows=max(rows.values()))
    advantages = np.array([sizes[name] for name in batch.domains])[:, None] * np.array([1.0, -1.0])
    chosen = np.concatenate([np.flatnonzero(batch.domains == name)[:count] for name, count in rows.items()])
    picked = {key: None if field is None else field[chosen] for key, field in batch._asdict().items()}
    return batch._replace(**picked | {"advantages": advantages[chosen]})


def run(policy, sizes, rows=ROWS, steps=20):
    for step in range(1, steps + 1):
        policy.observe(sized(sizes, rows), step)
    return policy.shares(steps + 1)


def expected(scores, bonus, temperature=1.0):
    raised = np.exp((np.array(scores) + bonus) / temperature)
    return (0.05 + 0.85 * raised / raised.sum()).tolist()


def test_the_studys_formula_by_hand_with_counts_in_rollouts():
    shares = run(dump_ucb(normalise=False, c=2.0), {MATH: 0.3, LOGIC: 0.8, SCIENCE: 0.1})
    bonus = 2.0 * np.sqrt(2 * np.log(20 * 60 + 1) / (20 * np.array([10, 20, 30]) + 1))
    assert [shares[name] for name in DOMAINS] == pytest.approx(expected([0.3, 0.8, 0.1], bonus))


def test_normalising_divides_the_advantages_and_not_the_bonus():
    shares = run(dump_ucb(), {MATH: 0.03, LOGIC: 0.08, SCIENCE: 0.01})
    sizes = np.array([0.03, 0.08, 0.01])
    bonus = np.sqrt(2 * np.log(20 * 60 + 1) / (20 * np.array([10, 20, 30]) + 1))
    assert [shares[name] for name in DOMAINS] == pytest.approx(expected(sizes / sizes.std(), bonus))


def test_a_domain_seldom_drawn_is_explored():
    sizes = {MATH: 0.4, LOGIC: 0.5, SCIENCE: 0.5}
    shares = run(dump_ucb(c=3.0), sizes, rows={MATH: 20, LOGIC: 1, SCIENCE: 20})
    assert shares[LOGIC] > shares[SCIENCE] + 0.1
    none = run(dump_ucb(c=0), sizes, rows={MATH: 20, LOGIC: 1, SCIENCE: 20})
    assert none[LOGIC] == pytest.approx(none[SCIENCE])


def test_solved_and_impossible_domains_give_their_prompts_to_the_one_that_can_be_learned():
    policy = dump_ucb()
    for step in range(1, 20):
        rates = {MATH: 1.0, LOGIC: 0.0, SCIENCE: 0.5}
        policy.observe(grpo_batch({MATH: 5, LOGIC: 5, SCIENCE: 6}, rates, np.random.default_rng(step)), step)
    shares = policy.shares(20)
    assert shares[SCIENCE] > 0.5
    assert min(shares.values()) >= 0.05


def test_equal_advantages_leave_equal_shares_whatever_the_counts():
    assert run(dump_ucb(), dict.fromkeys(DOMAINS, 0.4)) == equal_shares(DOMAINS)


def test_counts_survive_a_checkpoint():
    policy = dump_ucb()
    list(simulate(policy, drifting("middle"), last=12))
    state = json.loads(json.dumps(policy.state_dict()))
    assert sum(state["drawn"]) == 12 * 16 * 5
    again = dump_ucb()
    again.load_state_dict(state)
    assert again.shares(13) == policy.shares(13)
    again.load_state_dict({**state, "drawn": [5, 0, 0]})
    assert again.shares(13) != policy.shares(13)


def test_the_contract_holds_with_other_parameters():
    check_policy("dump_ucb", {"c": 0, "window": 4, "floor": 0.0})
