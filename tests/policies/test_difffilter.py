"""difffilter keeps groups of middling solve rate; the papers' bounds and refill are parameters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.delivery import weight_dose
from policies.errors import InputError
from policies.registry import get, resolve
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

BY_RATE = [[1.0] * solved + [0.0] * (5 - solved) for solved in range(6)]


def kept_groups(weights, size=5):
    return (np.asarray(weights).reshape(-1, size) > 0).all(axis=1).tolist()


def test_at_five_rollouts_the_studys_bounds_keep_two_and_three_of_five():
    weights = policy_of("difffilter").weights(graded(BY_RATE), 1)
    assert kept_groups(weights) == [False, False, True, True, False, False]
    assert mean_over_carrying(weights, graded(BY_RATE)) == pytest.approx(1)


def test_a_reward_of_a_half_is_no_success():
    weights = policy_of("difffilter").weights(graded([[0.5, 0.5, 0, 0, 1], [0.6, 0.6, 0, 0, 0]]), 1)
    assert kept_groups(weights) == [False, True]


def test_inclusive_bounds_keep_the_ends_too():
    weights = policy_of("difffilter", inclusive=True).weights(graded(BY_RATE), 1)
    assert kept_groups(weights) == [False, True, True, True, True, False]


def test_dapos_bounds_without_refill_are_a_no_op():
    batch = graded(BY_RATE)
    weights = policy_of("difffilter", low=0, high=1).weights(batch, 1)
    assert kept_groups(weights) == [False, True, True, True, True, False]
    assert weight_dose(weights, batch.advantages) == 0


@settings(max_examples=60)
@given(
    groups=st.lists(st.lists(st.sampled_from([0.0, 0.5, 0.6, 1.0]), min_size=1, max_size=8), min_size=1, max_size=8),
    low=st.sampled_from([0.0, 0.2, 0.25, 0.5]),
    high=st.sampled_from([0.6, 0.75, 0.8, 1.0]),
    inclusive=st.booleans(),
)
def test_it_agrees_with_a_plain_loop(groups, low, high, inclusive):
    batch = graded(groups)
    policy = policy_of("difffilter", low=low, high=high, inclusive=inclusive)
    weights = policy.weights(batch, 1)
    expected = []
    for group in groups:
        rate = sum(reward > 0.5 for reward in group) / len(group)
        expected += [low <= rate <= high if inclusive else low < rate < high] * len(group)
    if not (np.array(expected) & batch.advantages.any(axis=1)).any():
        assert policy.kept_everything
        assert (weights == 1).all()
    else:
        assert (weights > 0).tolist() == expected


def test_a_step_without_middling_groups_keeps_everything_and_says_so():
    policy = policy_of("difffilter")
    assert (policy.weights(graded([BY_RATE[0], BY_RATE[1], BY_RATE[5]]), 1) == 1).all()
    assert policy.kept_everything


def test_groups_are_refused_only_with_refill_and_as_a_whole():
    batch = graded(BY_RATE)
    assert policy_of("difffilter").refused(batch, 1) is None
    policy = policy_of("difffilter", refill=True, refill_limit=2)
    assert policy.parameters.refill_rounds == 2
    assert policy.refused(batch, 1).tolist() == np.repeat([True, True, False, False, True, True], 5).tolist()
    assert policy_of("difffilter", refill_limit=2).parameters.refill_rounds == 0


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"low": 0.8, "high": 0.2}, r"low must lie below high \(got low=0.8, high=0.2\)"),
        ({"low": 0.5, "high": 0.5}, "low must lie below high"),
        ({"high": 1.2}, r"high must be a number in \[0, 1\] \(got 1.2\)"),
        ({"refill_limit": 0}, r"refill_limit must be a whole number in \[1, 20\]"),
        ({"inclusive": "maybe"}, "inclusive must be true or false"),
    ],
)
def test_bounds_that_make_no_band_are_refused(given_, fault):
    with pytest.raises(InputError, match=fault):
        resolve("difffilter", given_)


def test_the_contract_holds_for_the_papers_variants():
    check_policy("difffilter", {"inclusive": True, "refill": True})
    with pytest.raises(AssertionError, match="inert on realistic"):
        check_policy("difffilter", {"inclusive": True})
    assert resolve("difffilter", {"low": 0.5, "high": 0.5, "inclusive": True})
    assert get("difffilter").family == "selection"
