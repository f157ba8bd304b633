"""maxvar against brute force over all subsets, ties included; the paper's recomputed advantages."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.delivery import weight_dose
from policies.synthetic import answers
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

ZERO_ONE = st.sampled_from([0.0, 1.0])
FINE = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 0.9, 1.0])


def kept_of(policy, batch):
    return policy.act(batch, 1)


@settings(max_examples=120, deadline=None)
@given(
    group=st.one_of(st.lists(ZERO_ONE, min_size=1, max_size=10), st.lists(FINE, min_size=1, max_size=10)),
    fraction=st.sampled_from([0.1, 0.3, 0.5, 0.75, 1.0]),
    seed=st.integers(0, 1000),
)
def test_no_subset_of_the_group_has_a_larger_variance(group, fraction, seed):
    batch = graded([group])
    kept = kept_of(policy_of("maxvar", seed, keep_fraction=fraction), batch)
    count = max(1, round(fraction * len(group)))
    assert kept.sum() == count
    best = max(np.var(subset) for subset in combinations(group, count))
    assert np.var(batch.rewards[kept]) == pytest.approx(best, abs=1e-12)


def test_groups_of_different_sizes_are_each_served():
    batch = graded([[0, 1, 1], [0, 0, 0, 0, 1, 1], [0.5], [1, 0, 0, 1]])
    kept = kept_of(policy_of("maxvar"), batch)
    assert [int(kept[batch.groups == group].sum()) for group in range(4)] == [2, 3, 1, 2]
    for group in (0, 1, 3):
        assert set(batch.rewards[kept & (batch.groups == group)]) == {0.0, 1.0}


def test_equal_rewards_and_equal_subsets_are_drawn_and_never_the_row():
    batch = graded([[0, 0, 0, 1, 1, 1]] * 40)
    kept = np.array([kept_of(policy_of("maxvar", seed), batch) for seed in range(60)])
    assert (kept.sum(axis=1) == 120).all()
    rates = kept.reshape(60 * 40, 6).mean(axis=0)
    assert np.abs(rates - 0.5).max() < 4.5 * np.sqrt(0.25 / 2400)
    ones = kept.reshape(60 * 40, 6)[:, 3:].sum(axis=1)
    assert abs((ones == 2).mean() - 0.5) < 4.5 * np.sqrt(0.25 / 2400), "1 + 2 and 2 + 1 have the same variance"


def test_the_default_keeps_two_of_five_one_of_each():
    batch = graded([[0, 0, 0, 0, 1], [0, 1, 1, 1, 1]])
    kept = kept_of(policy_of("maxvar"), batch)
    assert [sorted(batch.rewards[kept & (batch.groups == group)]) for group in (0, 1)] == [[0, 1], [0, 1]]


def test_weights_have_mean_one_and_groups_without_advantage_are_no_op():
    batch = graded([[0, 0, 0, 1, 1], [1] * 5], lengths=[[1, 2, 3, 4, 5], [5] * 5])
    weights = policy_of("maxvar").weights(batch, 1)
    assert mean_over_carrying(weights, batch) == pytest.approx(1)
    assert (
        weight_dose(policy_of("maxvar").weights(graded([[1] * 5, [0] * 5]), 1), graded([[1] * 5] * 2).advantages) == 0
    )


def test_recomputed_advantages_are_grpos_on_the_subset():
    batch = graded([[0, 0.2, 0.4, 0.6, 1.0], [0, 0, 0, 0, 1]])
    policy = policy_of("maxvar", recompute_advantage=True, keep_fraction=0.6)
    kept, advantages = kept_of(policy, batch), policy.advantages(batch, 1)
    for group in (0, 1):
        rows = kept & (batch.groups == group)
        rewards = batch.rewards[rows]
        expected = (rewards - rewards.mean()) / (rewards.std(ddof=1) + 1e-6)
        assert advantages[rows] == pytest.approx(np.repeat(expected[:, None], 3, axis=1))
    assert (advantages[~kept] == batch.advantages[~kept]).all()
    assert policy_of("maxvar").advantages(batch, 1) is None, "the study's default keeps GRPO's"


def test_the_dose_of_the_papers_variant_counts_what_is_dropped():
    batch = graded([[0, 0, 0, 1, 1]] * 4)
    moment = answers(policy_of("maxvar", recompute_advantage=True), batch, 1)
    assert weight_dose(moment.weights, moment.batch.advantages) == pytest.approx(0.6)
    assert mean_over_carrying(moment.weights, moment.batch) == pytest.approx(1)


def test_float_dust_makes_no_advantage():
    batch = graded([[0.7] * 5, [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3]])
    assert policy_of("maxvar", recompute_advantage=True).advantages(batch, 1) is None


def test_scorer_and_actuator_can_be_swapped_in_its_parameters():
    batch = graded([[0, 0.2, 0.4, 0.6, 1.0]], lengths=[[9, 1, 5, 3, 7]])
    assert kept_of(policy_of("maxvar", scorer="shortness"), batch).tolist() == [True, True, False, False, False]
    highest = policy_of("maxvar", actuator="keep_highest_in_group")
    assert kept_of(highest, batch).tolist() == [False, False, False, True, True]


def test_the_contract_holds_for_the_papers_variant():
    check_policy("maxvar", {"recompute_advantage": True, "keep_fraction": 0.7})
