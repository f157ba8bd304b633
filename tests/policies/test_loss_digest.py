"""One number says whether a loss multiplied value for value what was set; and how far advantages were replaced."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.delivery import advantage_dose, loss_digest

N, L = 12, 7


class Rows:
    """Weights, log-probs, advantages and mask of a few rollouts."""

    def __init__(self, seed: int = 0, per_token: bool = False) -> None:
        random = np.random.default_rng(seed)
        self.mask = np.arange(L)[None, :] < random.integers(1, L + 1, N)[:, None]
        self.log_probs = (-random.random((N, L)) * self.mask).astype(np.float32)
        self.advantages = (random.normal(size=(N, L)) * self.mask).astype(np.float32)
        self.weights = random.random((N, L) if per_token else N).astype(np.float32)

    def digest(self, order: object = slice(None)) -> int:
        return loss_digest(self.weights[order], self.log_probs[order], self.advantages[order], self.mask[order])


@given(st.integers(0, 99), st.booleans(), st.permutations(range(N)), st.integers(1, N - 1))
@settings(max_examples=20)
def test_it_depends_neither_on_the_order_of_rows_nor_on_micro_batches_nor_on_padding(seed, per_token, order, cut):
    rows = Rows(seed, per_token)
    whole = rows.digest()
    assert rows.digest(list(order)) == whole
    assert rows.digest(slice(0, cut)) + rows.digest(slice(cut, N)) == whole
    wide = [np.pad(values, ((0, 0), (0, 3)), constant_values=9) for values in (rows.log_probs, rows.advantages)]
    weights = np.pad(rows.weights, ((0, 0), (0, 3))) if per_token else rows.weights
    assert loss_digest(weights, wide[0], wide[1], np.pad(rows.mask, ((0, 0), (0, 3)))) == whole


def test_a_weight_a_rollout_is_that_weight_on_each_of_its_tokens():
    rows = Rows()
    spread = np.broadcast_to(rows.weights[:, None], rows.mask.shape)
    assert loss_digest(spread, rows.log_probs, rows.advantages, rows.mask) == rows.digest()
    ones = np.ones(N, dtype=np.float32)
    expected = loss_digest(None, rows.log_probs, rows.advantages, rows.mask)
    assert loss_digest(ones, rows.log_probs, rows.advantages, rows.mask) == expected


def test_weights_that_reached_the_wrong_rollouts_change_it_though_their_sums_are_the_same():
    rows, swapped = Rows(), Rows()
    swapped.weights = np.roll(swapped.weights, 1)
    assert swapped.weights.sum() == rows.weights.sum()
    assert swapped.digest() != rows.digest()


@given(st.sampled_from(["weights", "log_probs", "advantages"]), st.integers(0, N * L - 1), st.integers(0, 22))
@settings(max_examples=60)
def test_one_other_bit_in_one_token_that_counts_changes_it_and_elsewhere_it_does_not(field, place, bit):
    rows, other = Rows(per_token=True), Rows(per_token=True)
    getattr(other, field).view(np.uint32).reshape(-1)[place] ^= np.uint32(1 << bit)
    assert (other.digest() != rows.digest()) == rows.mask.reshape(-1)[place]


def test_the_same_values_at_other_positions_of_a_rollout_change_it():
    rows, turned = Rows(per_token=True), Rows(per_token=True)
    whole = np.flatnonzero(rows.mask.all(axis=1))
    assert len(whole)
    for values in (turned.weights, turned.log_probs, turned.advantages):
        values[whole] = values[whole, ::-1]
    assert turned.digest() != rows.digest()


def test_a_negative_zero_is_a_zero():
    rows, other = Rows(), Rows()
    rows.advantages[:] = 0.0
    other.advantages[:] = -0.0
    assert rows.digest() == other.digest()


def test_a_double_holds_the_sum_of_a_large_batch_exactly():
    """A thousand rollouts of eight thousand tokens: what the worker reports travels as a float, and is averaged."""
    random = np.random.default_rng(0)
    mask = np.ones((1024, 8192), dtype=bool)
    values = random.random(mask.shape, dtype=np.float32)
    started = time.process_time()
    halves = [
        loss_digest(values[part], values[part], values[part], mask[part]) for part in (slice(512), slice(512, None))
    ]
    assert time.process_time() - started < 3
    digest = sum(halves)
    tokens = [512 * 8192.0] * 2
    parts = mask.sum() / float(np.mean(tokens))
    assert round(float(np.mean([float(half) for half in halves])) * parts) == digest


def test_the_dose_of_advantages_is_how_far_apart_their_directions_are():
    advantages = Rows().advantages
    assert advantage_dose(advantages, advantages) == 0
    assert advantage_dose(3 * advantages, advantages) == pytest.approx(0, abs=1e-6)
    assert advantage_dose(-advantages, advantages) == pytest.approx(1)
    assert advantage_dose(np.zeros_like(advantages), advantages) == 1
    assert advantage_dose(np.zeros_like(advantages), np.zeros_like(advantages)) == 0
    half = np.where(np.arange(N)[:, None] < N // 2, advantages, 0)
    assert 0 < advantage_dose(half, advantages) < 1
