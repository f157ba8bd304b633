"""topk against a naive reference, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.base import RolloutBatch
from policies.delivery import weight_dose
from policies.registry import create, resolve
from policies.ties import occurrence, without_noise

DOMAINS = ("math",)


def batch_of(scores, group_size=4, lengths=None) -> RolloutBatch:
    """Rollouts whose every token has advantage +-score."""
    count = len(scores)
    lengths = np.full(count, 3) if lengths is None else np.asarray(lengths)
    mask = np.arange(lengths.max())[None, :] < lengths[:, None]
    signs = np.where(np.arange(count) % 2, -1.0, 1.0)
    return RolloutBatch(
        rewards=np.zeros(count),
        advantages=np.where(mask, (signs * np.asarray(scores, dtype=float))[:, None], 0.0),
        log_probs=np.zeros(mask.shape),
        mask=mask,
        groups=np.arange(count) // group_size,
        domains=np.array(["math"] * count),
        indices=np.arange(count) % group_size,
    )


def topk(keep_fraction=0.5, seed=0):
    return create(resolve("topk", {"keep_fraction": keep_fraction}), DOMAINS, seed)


@settings(max_examples=100)
@given(
    scores=st.lists(st.sampled_from([0.0, 0.4, 0.8, 1.2, 1.6]), min_size=1, max_size=40),
    fraction=st.sampled_from([0.1, 0.25, 0.5, 0.9, 1.0]),
    seed=st.integers(0, 2**31 - 1),
)
def test_it_keeps_what_a_plain_loop_would_keep_up_to_ties(scores, fraction, seed):
    policy = topk(fraction, seed)
    weights = policy.weights(batch_of(scores), 1)
    count = max(1, round(fraction * len(scores)))
    if not any(scores):
        assert policy.kept_everything
        assert (weights == 1).all()
        return
    kept = [score for score, weight in zip(scores, weights, strict=True) if weight > 0]
    assert sorted(kept) == sorted(sorted(scores, reverse=True)[:count])
    assert len(set(weights[weights > 0].round(9))) == 1


@given(
    scores=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=30).filter(any),
    lengths=st.data(),
)
def test_weights_have_mean_one_over_the_tokens_that_carry_gradient(scores, lengths):
    drawn = lengths.draw(st.lists(st.integers(1, 9), min_size=len(scores), max_size=len(scores)))
    batch = batch_of(scores, lengths=drawn)
    weights = topk().weights(batch, 1)
    carrying = [(score > 0) * length for score, length in zip(scores, drawn, strict=True)]
    assert np.dot(weights, carrying) == pytest.approx(sum(carrying))


def test_ties_are_a_seeded_draw_and_never_the_row():
    batch = batch_of([1.0] * 40)
    kept = np.array([topk(seed=seed).weights(batch, 1) > 0 for seed in range(400)])
    assert (kept.sum(axis=1) == 20).all()
    assert np.abs(kept.mean(axis=0) - 0.5).max() < 4.5 * np.sqrt(0.25 / 400)
    again = topk(seed=7).weights(batch, 1)
    assert (again == topk(seed=7).weights(batch, 1)).all()
    assert (again != topk(seed=7).weights(batch, 2)).any(), "each step draws anew"


def test_a_rollout_keeps_its_luck_in_whatever_row_it_stands():
    batch = batch_of([1.0] * 40)
    order = np.random.default_rng(0).permutation(40)
    moved = batch._replace(
        **{f: getattr(batch, f)[order] for f in ("advantages", "mask", "groups", "indices", "log_probs")}
    )
    assert (topk().weights(moved, 3) == topk().weights(batch, 3)[order]).all()


def test_float_noise_and_length_break_no_tie():
    noisy = np.full(40, 0.7302967) + np.random.default_rng(1).normal(scale=1e-8, size=40)
    batch = batch_of(noisy, lengths=np.arange(40) % 9 + 1)
    exact = batch_of(np.full(40, 0.7302967))
    assert ((topk().weights(batch, 1) > 0) == (topk().weights(exact, 1) > 0)).all()


def test_dropping_only_rollouts_without_gradient_is_a_no_op():
    batch = batch_of([1.2, 0.4, 0.0, 0.0])
    weights = topk().weights(batch, 1)
    assert weights.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert weight_dose(weights, batch.advantages) == 0


def test_a_step_without_advantages_keeps_everything_and_says_so():
    policy = topk()
    assert (policy.weights(batch_of([0.0] * 8), 1) == 1).all()
    assert policy.kept_everything
    policy.weights(batch_of([1.0] * 8), 2)
    assert not policy.kept_everything


def test_a_score_is_a_mean_over_tokens_that_count_not_a_sum():
    batch = batch_of([1.0, 0.9, 0.2, 0.1], lengths=[2, 9, 9, 9])
    assert (topk(0.25).weights(batch, 1) > 0).tolist() == [True, False, False, False]


def test_the_dose_of_half_the_batch_is_a_half():
    batch = batch_of([1.0, 1.1, 1.2, 1.3, 0.1, 0.2, 0.3, 0.4])
    assert weight_dose(topk().weights(batch, 1), batch.advantages) == pytest.approx(0.5)


def test_noise_and_occurrences_by_hand():
    assert without_noise(np.array([0.5, 2.0, 0.5 + 1e-9, 1.0]), 1e-5).tolist() == [0.5, 2.0, 0.5, 1.0]
    assert without_noise(np.zeros(3), 1e-5).tolist() == [0, 0, 0]
    assert occurrence(np.array([5, 2, 5, 5, 2])).tolist() == [0, 0, 1, 2, 1]


def test_without_indices_rows_of_a_group_count_up():
    batch = batch_of([1.0] * 12)
    assert (topk().weights(batch._replace(indices=None), 1) == topk().weights(batch, 1)).all()
