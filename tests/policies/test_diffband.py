"""diffband against a naive reference, ties included, and where the study's default does nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.errors import InputError
from policies.registry import resolve
from policies.synthetic import drifting, steps_changed
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of


def naive_quantile(values, q):
    """Linear interpolation between order statistics (definition 7 of Hyndman and Fan, 1996)."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@settings(max_examples=100)
@given(
    groups=st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=6), min_size=1, max_size=6),
    band=st.sampled_from([(0.25, 0.75), (0.0, 0.5), (0.5, 0.5), (0.0, 1.0)]),
)
def test_it_agrees_with_a_plain_loop(groups, band):
    batch = graded(groups)
    weights = policy_of("diffband", low_q=band[0], high_q=band[1], focus=3).weights(batch, 1)
    low, high = (naive_quantile(batch.rewards, q) for q in band)
    raw = np.array([3.0 if low <= reward <= high else 1.0 for reward in batch.rewards])
    if not batch.advantages.any():
        assert (weights == 1).all()
    else:
        assert weights / weights.max() == pytest.approx(raw / raw.max())
        assert mean_over_carrying(weights, batch) == pytest.approx(1)


def test_with_rewards_of_0_and_1_the_band_is_the_commoner_outcome_or_everything():
    few, half = graded([[0, 0, 0, 0, 1]]), graded([[0, 0, 0, 1, 1]])
    weights = policy_of("diffband").weights(few, 1)
    assert weights[0] == pytest.approx(2 * weights[4])
    assert policy_of("diffband").weights(half, 1) == pytest.approx(1)


def test_the_studys_default_is_inert_in_the_middle_and_by_solve_rate_it_is_not():
    assert steps_changed(policy_of("diffband"), drifting("middle")) < 0.05
    assert check_policy("diffband", {"scorer": "solve_rate"}).steps_changed["middle"] > 0.5


def test_a_band_the_wrong_way_round_is_refused():
    with pytest.raises(InputError, match=r"low_q must not exceed high_q \(got low_q=0.9, high_q=0.1\)"):
        resolve("diffband", {"low_q": 0.9, "high_q": 0.1})
