"""softmax: weights by the exponential of the advantage's size."""

import numpy as np
import pytest

from policies.errors import InputError
from policies.registry import resolve
from policies.scorers import mean_abs_advantage
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of

BATCH = graded([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [1] * 5], lengths=[[1, 2, 3, 4, 5], [2] * 5, [3] * 5])


@pytest.mark.parametrize("temperature", [0.05, 1.0, 20.0])
def test_the_formula_by_hand(temperature):
    weights = policy_of("softmax", temperature=temperature).weights(BATCH, 1)
    raw = np.exp(mean_abs_advantage(BATCH) / temperature)
    carrying = (BATCH.advantages != 0).sum(axis=1)
    assert weights == pytest.approx(raw * carrying.sum() / (raw * carrying).sum())
    assert mean_over_carrying(weights, BATCH) == pytest.approx(1)


def test_the_scale_of_the_scores_overflows_nothing():
    huge = BATCH._replace(advantages=BATCH.advantages * 1e6)
    assert np.isfinite(policy_of("softmax", temperature=0.001).weights(huge, 1)).all()


def test_a_temperature_out_of_range_is_refused():
    with pytest.raises(InputError, match=r"temperature must be a number in \(0, 1000\] \(got 0\)"):
        resolve("softmax", {"temperature": 0})


def test_the_contract_holds_for_other_parameters():
    check_policy("softmax", {"temperature": 0.1, "scorer": "solve_rate"})
