"""ar: a token's weight follows its probability; mean one as in the study, or the paper's plain weights."""

import numpy as np
import pytest

from policies.delivery import weight_dose
from policies.testing import check_policy
from tests.policies.rollout_batches import graded, mean_over_carrying, policy_of


def batch_of_tokens():
    batch = graded([[0, 0, 1, 1], [1, 1, 1, 1]], lengths=[[3, 1, 2, 3], [3, 3, 3, 3]])
    probabilities = np.random.default_rng(0).uniform(0.1, 1, batch.mask.shape)
    return batch._replace(log_probs=np.where(batch.mask, np.log(probabilities), 0.0))


def test_the_papers_weights_by_hand():
    batch = batch_of_tokens()
    weights = policy_of("ar", mean_one=False, alpha=0.2).weights(batch, 1)
    assert weights == pytest.approx(0.2 * np.exp(batch.log_probs) + 0.8)


def test_the_studys_are_the_same_up_to_a_factor_and_have_mean_one():
    batch = batch_of_tokens()
    ours = policy_of("ar").weights(batch, 1)
    papers = policy_of("ar", mean_one=False).weights(batch, 1)
    assert np.ptp(ours / papers) < 1e-12
    assert mean_over_carrying(ours, batch) == pytest.approx(1)
    assert weight_dose(ours, batch.advantages) == pytest.approx(weight_dose(papers, batch.advantages))


def test_single_precision_stays_single_and_inputs_are_left_alone():
    batch = batch_of_tokens()
    batch = batch._replace(log_probs=batch.log_probs.astype(np.float32), advantages=batch.advantages.astype(np.float32))
    before = batch.log_probs.copy()
    weights = policy_of("ar").weights(batch, 1)
    assert weights.dtype == np.float32
    assert (batch.log_probs == before).all()
    assert mean_over_carrying(weights.astype(float), batch) == pytest.approx(1, abs=1e-6)


def test_alpha_zero_weights_all_tokens_alike():
    batch = batch_of_tokens()
    assert policy_of("ar", alpha=0).weights(batch, 1)[batch.advantages != 0] == pytest.approx(1)


def test_a_step_without_gradient_has_weights_of_one():
    assert (policy_of("ar").weights(graded([[1, 1], [0, 0]]), 1) == 1).all()


def test_the_contract_holds_for_the_papers_weights():
    check_policy("ar", {"mean_one": False, "alpha": 0.2})
