"""Placebos: all ones, all zeros, and rewards from a seeded coin."""

import numpy as np
import pytest

from policies.delivery import weight_dose
from policies.errors import InputError
from policies.registry import get, names, resolve
from policies.synthetic import answers, permuted
from tests.policies.rollout_batches import graded, policy_of

BATCH = graded([[0, 0, 1, 1, 1]] * 8)
PLACEBOS = ("placebo_ones", "placebo_zeros", "random_reward")


def test_placebos_are_a_family_of_their_own_beside_the_thirteen():
    assert tuple(name for name in names() if get(name).family == "placebo") == PLACEBOS
    assert all(get(name).control == "baseline" for name in PLACEBOS)


def test_ones_have_no_dose_and_zeros_the_whole():
    ones, zeros = (policy_of(name).weights(BATCH, 1) for name in PLACEBOS[:2])
    assert (ones == 1).all()
    assert weight_dose(ones, BATCH.advantages) == 0
    assert (zeros == 0).all()
    assert weight_dose(zeros, BATCH.advantages) == 1


def test_the_coin_replaces_the_rewards_and_the_advantages_follow_it():
    moment = answers(policy_of("random_reward", seed=4), BATCH, 1)
    assert set(moment.rewards) == {0.0, 1.0}
    assert (moment.batch.rewards == moment.rewards).all()
    assert (np.sign(moment.batch.advantages[:, 0]) == np.sign(moment.rewards - 0.5)).mean() > 0.9
    assert moment.weights is None


def test_the_coin_is_seeded_by_prompt_and_rollout_and_not_by_the_row():
    policy = policy_of("random_reward", seed=4)
    order = np.random.default_rng(0).permutation(40)
    assert (policy.rewards(permuted(BATCH, order), 3) == policy.rewards(BATCH, 3)[order]).all()
    assert (policy.rewards(BATCH, 3) == policy_of("random_reward", seed=4).rewards(BATCH, 3)).all()
    assert (policy.rewards(BATCH, 3) != policy.rewards(BATCH, 4)).any()
    assert (policy.rewards(BATCH, 3) != policy_of("random_reward", seed=5).rewards(BATCH, 3)).any()


@pytest.mark.parametrize("p", [0.5, 0.1])
def test_the_coin_is_fair_to_its_chance_and_deaf_to_the_answers(p):
    batch = graded([[0, 0, 1, 1, 1]] * 2000)
    coin = policy_of("random_reward", p=p).rewards(batch, 1)
    assert coin.mean() == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / 10_000))
    assert abs(np.corrcoef(coin, batch.rewards)[0, 1]) < 4.5 / np.sqrt(10_000)


def test_a_coin_that_always_falls_the_same_way_is_refused():
    with pytest.raises(InputError, match=r"p must be a number in \(0, 1\) \(got 1\)"):
        resolve("random_reward", {"p": 1})
