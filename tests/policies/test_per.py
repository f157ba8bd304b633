"""per: a power of the advantage's size; importance correction takes it back."""

import numpy as np
import pytest

from policies.delivery import weight_dose
from policies.scorers import mean_abs_advantage
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

BATCH = graded([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [1] * 5], lengths=[[1, 2, 3, 4, 5], [2] * 5, [3] * 5])


def test_the_formula_by_hand():
    weights = policy_of("per", alpha=0.7, epsilon=0.01).weights(BATCH, 1)
    raw = (mean_abs_advantage(BATCH) + 0.01) ** 0.7
    carrying = (BATCH.advantages != 0).sum(axis=1)
    assert weights == pytest.approx(raw * carrying.sum() / (raw * carrying).sum())
    assert mean_over_carrying(weights, BATCH) == pytest.approx(1)


def test_what_prioritized_draws_and_their_correction_do_on_average():
    """Replay draws i with P ∝ p^alpha and weights it with (N P)^-beta: its mean weight is ∝ P · P^-beta."""
    alpha, beta = 0.6, 0.4
    priority = mean_abs_advantage(BATCH) + 1e-6
    chance = priority**alpha / (priority**alpha).sum()
    expected = chance * (len(priority) * chance) ** -beta
    weights = policy_of("per", alpha=alpha, importance_correction=beta).weights(BATCH, 1)
    assert weights / weights[4] == pytest.approx(expected / expected[4])


@pytest.mark.parametrize("variant", [{"importance_correction": 1}, {"alpha": 0}])
def test_full_correction_or_no_exponent_is_inert(variant):
    assert weight_dose(policy_of("per", **variant).weights(BATCH, 1), BATCH.advantages) == pytest.approx(0, abs=1e-12)
    with pytest.raises(AssertionError, match="inert on realistic rewards"):
        check_policy("per", variant)


def test_epsilon_touches_no_rollout_with_gradient():
    small, large = (policy_of("per", epsilon=e).weights(BATCH, 1)[:10] for e in (1e-9, 1e-6))
    assert small == pytest.approx(large, rel=1e-5)


def test_another_scorer_can_be_named():
    weights = policy_of("per", scorer="reward", alpha=1, epsilon=1).weights(BATCH, 1)
    assert weights[4] / weights[0] == pytest.approx(2)
    check_policy("per", {"scorer": "reward_per_token", "importance_correction": 0.5})


def test_zero_advantages_make_equal_weights():
    assert np.unique(policy_of("per").weights(graded([[1, 1], [0, 0]]), 1)).size == 1
