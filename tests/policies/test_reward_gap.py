"""reward_gap: shares follow how far a domain's mean reward lies below the best one's."""

import numpy as np
import pytest

from policies.registry import create, resolve
from policies.scorers import gap_to_best, window_mean
from policies.synthetic import DOMAINS, answers, equal_shares, grpo_batch
from policies.testing import check_policy
from tests.policies.rollout_batches import after, step_of

MATH, LOGIC, SCIENCE = DOMAINS


def reward_gap(**parameters):
    return create(resolve("reward_gap", parameters), DOMAINS, seed=1)


def test_the_studys_formula_by_hand():
    shares = after(reward_gap(normalise=False), lambda t: {MATH: 0.2, LOGIC: 0.7, SCIENCE: 0.5})
    raised = np.exp(np.array([0.5, 0.0, 0.2]))
    assert [shares[name] for name in DOMAINS] == pytest.approx((0.05 + 0.85 * raised / raised.sum()).tolist())


def test_normalised_on_a_steady_signal_by_hand():
    shares = after(reward_gap(), lambda t: {MATH: 0.2, LOGIC: 0.7, SCIENCE: 0.5})
    gaps = np.array([0.5, 0.0, 0.2])
    raised = np.exp(gaps / gaps.std())
    assert [shares[name] for name in DOMAINS] == pytest.approx((0.05 + 0.85 * raised / raised.sum()).tolist())


def test_what_the_docstring_says_of_a_small_gap():
    shares = after(reward_gap(normalise=False), lambda t: {MATH: 0.4, LOGIC: 0.5, SCIENCE: 0.5})
    assert shares[MATH] - 1 / 3 == pytest.approx(0.02, abs=0.003)


def test_only_the_window_counts_and_each_step_once():
    def curve(t):
        return {MATH: 0.1 if t <= 20 else 0.8, LOGIC: 0.5, SCIENCE: 0.8}

    assert after(reward_gap(window=5), curve)[LOGIC] > 0.5
    steps, values = np.arange(3.0), np.array([[0.2, np.nan], [0.4, 0.9], [0.6, 0.7]])
    assert window_mean(steps, values) == pytest.approx([0.4, 0.8])
    assert gap_to_best(steps, values) == pytest.approx([0.4, 0.0])


def test_a_domain_never_drawn_counts_as_the_mean_of_the_others():
    policy = reward_gap()
    for step in range(1, 12):
        policy.observe(step_of({MATH: 0.2, LOGIC: 0.6}), step)
    shares = policy.shares(12)
    assert shares[MATH] > shares[SCIENCE] > shares[LOGIC]
    assert np.isnan(gap_to_best(np.arange(1.0), np.array([[np.nan, np.nan]]))).all()


def test_a_solved_domain_loses_its_prompts_to_an_impossible_one():
    policy = reward_gap()
    for step in range(1, 20):
        rates = {MATH: 1.0, LOGIC: 0.0, SCIENCE: 0.5}
        batch = grpo_batch({MATH: 5, LOGIC: 5, SCIENCE: 6}, rates, np.random.default_rng(step))
        policy.observe(answers(policy, batch, step).batch, step)
    shares = policy.shares(20)
    assert shares[LOGIC] > shares[SCIENCE] > shares[MATH] >= 0.05
    assert equal_shares(DOMAINS) != shares


def test_the_contract_holds_for_the_studys_own():
    check_policy("reward_gap", {"normalise": False})
