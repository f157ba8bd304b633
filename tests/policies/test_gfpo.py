"""gfpo against a naive reference, ties included; by length, and with the paper's advantages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.errors import InputError
from policies.registry import resolve
from policies.synthetic import answers
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

ROLLOUT = st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 6))


@settings(max_examples=100, deadline=None)
@given(
    groups=st.lists(st.lists(ROLLOUT, min_size=1, max_size=8), min_size=1, max_size=5),
    k=st.integers(1, 9),
    metric=st.sampled_from(["efficiency", "short"]),
    seed=st.integers(0, 1000),
)
def test_it_keeps_what_a_plain_loop_would_keep_up_to_ties(groups, k, metric, seed):
    batch = graded([[r for r, _ in group] for group in groups], [[n for _, n in group] for group in groups])
    kept = policy_of("gfpo", seed, k=k, metric=metric).act(batch, 1)
    for place, group in enumerate(groups):
        scores = [r / n if metric == "efficiency" else 1 / n for r, n in group]
        chosen = [score for score, yes in zip(scores, kept[batch.groups == place], strict=True) if yes]
        assert sorted(chosen) == sorted(sorted(scores, reverse=True)[:k])


def test_answers_that_differ_by_a_token_in_eight_thousand_are_no_tie():
    lengths = [[8190, 8191, 8189, 8192, 2]]
    kept = policy_of("gfpo").act(graded([[1, 1, 1, 1, 1]], lengths), 1)
    assert kept.tolist() == [True, False, True, False, True]


def test_ties_are_a_seeded_draw_and_never_the_row():
    batch = graded([[0, 0, 0, 0, 1]] * 50)
    kept = np.array([policy_of("gfpo", seed).act(batch, 1) for seed in range(40)]).reshape(2000, 5)
    assert kept[:, 4].all()
    assert np.abs(kept[:, :4].mean(axis=0) - 0.5).max() < 4.5 * np.sqrt(0.25 / 2000)


def test_the_weight_has_mean_one_over_tokens_with_gradient():
    batch = graded([[0, 0, 1, 1, 1], [1] * 5], lengths=[[1, 2, 3, 4, 5], [5] * 5])
    assert mean_over_carrying(policy_of("gfpo").weights(batch, 1), batch) == pytest.approx(1)


def test_recomputed_advantages_are_grpos_on_the_kept():
    batch = graded([[0, 0, 1, 1, 1]], lengths=[[3, 3, 9, 1, 2]])
    policy = policy_of("gfpo", recompute_advantage=True, metric="short")
    moment = answers(policy, batch, 1)
    rewards = batch.rewards[moment.weights > 0]
    expected = (rewards - rewards.mean()) / (rewards.std(ddof=1) + 1e-6)
    assert moment.batch.advantages[moment.weights > 0][:, 0] == pytest.approx(expected)
    assert mean_over_carrying(moment.weights, moment.batch) == pytest.approx(1)


def test_kept_rollouts_with_equal_rewards_train_on_the_old_advantages():
    batch = graded([[0, 0, 1, 1, 1]])
    policy = policy_of("gfpo", recompute_advantage=True)
    assert policy.advantages(batch, 1) is None
    assert (policy.weights(batch, 1) > 0).tolist() == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"k": 0}, r"k must be a whole number in \[1, 4096\] \(got 0\)"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"metric": "long"}, r"metric must be efficiency or short \(got long\)"),
    ],
)
def test_wrong_parameters_name_what_is_allowed(given_, fault):
    with pytest.raises(InputError, match=fault):
        resolve("gfpo", given_)


@pytest.mark.parametrize("variant", [{"metric": "short"}, {"recompute_advantage": True, "k": 2}])
def test_the_contract_holds_for_variants(variant):
    check_policy("gfpo", variant)
