"""Sums, dose and effective sample size of loss weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pydantic import ValidationError

from policies.delivery import DeliveryRecord, effective_sample_size, weight_dose, weight_statistics

MASK = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0]], dtype=bool)


def test_sums_run_over_the_tokens_that_count():
    seen = weight_statistics(np.array([2.0, 0.0, 1.0]), MASK)
    assert (seen.tokens, seen.total, seen.squared, seen.zeros) == (6, 5.0, 9.0, 3)


@given(arrays(np.float64, 3, elements=st.floats(0, 100)))
def test_a_weight_a_rollout_equals_the_same_weight_on_each_of_its_tokens(weights):
    spread = np.broadcast_to(weights[:, None], MASK.shape)
    one, other = weight_statistics(weights, MASK), weight_statistics(spread, MASK)
    assert (one.tokens, one.zeros) == (other.tokens, other.zeros)
    assert (one.total, one.squared) == pytest.approx((other.total, other.squared))
    assert effective_sample_size(weights, MASK) == pytest.approx(effective_sample_size(spread, MASK))


def test_only_rollouts_with_gradient_count_for_the_dose():
    advantages = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert weight_dose(np.array([1.0, 1.0, 0.0, 5.0]), advantages) == 0
    assert weight_dose(np.array([2.0, 0.0, 1.0, 1.0]), advantages) == pytest.approx(0.5)


@given(arrays(np.float64, 6, elements=st.floats(0, 10)), st.floats(0.1, 50))
def test_a_dose_lies_in_0_1_and_ignores_a_common_factor(weights, factor):
    advantages = np.ones((6, 2))
    dose = weight_dose(weights, advantages)
    assert 0 <= dose <= 1
    assert weight_dose(weights * factor, advantages) == pytest.approx(dose, abs=1e-9)


def test_dose_by_hand_token_weights_and_corner_cases():
    advantages = np.array([[1.0, -1.0], [0.5, 0.0]])
    # weights .2 .2 .6 of tokens with gradient against 1/3 each: 0.5 * (.1333 + .1333 + .2667)
    assert weight_dose(np.array([[1.0, 1.0], [3.0, 9.0]]), advantages) == pytest.approx(0.2667, abs=1e-4)
    assert weight_dose(None, advantages) == 0
    assert weight_dose(np.zeros(2), advantages) == 1
    assert weight_dose(np.array([3.0, 1.0]), np.zeros((2, 2))) == 0


def test_the_effective_sample_size_of_half_the_rollouts_is_half():
    mask = np.ones((8, 2), dtype=bool)
    assert effective_sample_size(np.array([2.0] * 4 + [0.0] * 4), mask) == pytest.approx(4)
    # Kish's, by hand: (3 + 1 + 1 + 1)^2 / (9 + 1 + 1 + 1); the largest weight alone would say 6 / 3
    assert effective_sample_size(np.array([3.0, 1.0, 1.0, 1.0]), mask[:4]) == pytest.approx(3)
    assert effective_sample_size(None, mask) == 8
    assert effective_sample_size(np.zeros(8), mask) == 0


RECORD = {
    "step": 1, "prompts": 4, "rollouts": 20, "prompt_stream": "0" * 16, "realised_shares": {"math": 1.0},
    "effective_sample_size": 20.0, "domain_rewards": {"math": 0.5},
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("realised_shares", {"math": 1.2}),
        ("requested_shares", {"math": -0.1, "logic": 1.1}),
        ("weight_dose", 1.5),
        ("advantage_dose", -0.1),
        ("step", 0),
        ("effective_sample_size", -1.0),
    ],
)
def test_a_record_with_impossible_shares_or_doses_is_refused(field, value):
    assert DeliveryRecord.model_validate(RECORD)
    with pytest.raises(ValidationError, match=field):
        DeliveryRecord.model_validate(RECORD | {field: value})
