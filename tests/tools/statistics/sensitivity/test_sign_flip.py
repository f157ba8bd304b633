"""Sign flips: the p-value and the interval against brute force, the family check against its definition."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.tools.score_tables import analysis, table
from tools.scores.summary_matrix import SummaryMatrix
from tools.statistics.levels import family_confidence
from tools.statistics.sensitivity.max_t import JointDifferences, joint_differences, max_t
from tools.statistics.sensitivity.sign_flip import DRAWS, fewest_pairs, flips_for, sign_flip, sign_flip_arrays


def generator(seed=0):
    return np.random.default_rng(seed)


def brute_p(values, theta=0.0):
    """Share of all 2^n flips whose |sum| is at least the one seen."""
    centred = np.asarray(values) - theta
    sums = np.array(list(product((-1.0, 1.0), repeat=len(centred)))) @ centred
    return float((np.abs(sums) >= abs(centred.sum()) * (1 - 1e-12) - 1e-12).mean())


def one(values, confidence=0.95, seed=0):
    values = np.asarray(values, dtype=float)
    return sign_flip(values[:, None], ("x",), confidence, flips_for(len(values), generator(seed)))["x"]


varied = st.lists(st.integers(-40, 40), min_size=6, max_size=10).map(lambda v: np.array(v) / 8).filter(np.std)


@settings(deadline=None, max_examples=60)
@given(varied)
def test_p_is_the_share_of_all_flips(values):
    assert one(values).p == pytest.approx(brute_p(values), abs=1e-12)


def test_p_agrees_with_scipys_permutation_test():
    values = generator(1).normal(0.4, 1.0, 9)
    theirs = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert one(values).p == pytest.approx(theirs.pvalue, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(varied, st.sampled_from([0.8, 0.95, 0.9375]))
def test_the_interval_holds_exactly_the_values_that_brute_force_does_not_reject(values, confidence):
    found = one(values, confidence)
    if not found.usable:
        assert (found.low, found.high) == (None, None)
        return
    alpha, step = 1 - confidence, 1e-6
    assert found.low < values.mean() < found.high
    for inside in (found.low, found.low + step, found.high - step, found.high):
        assert brute_p(values, inside) > alpha + 1e-12
    for outside in (found.low - step, found.high + step):
        assert brute_p(values, outside) <= alpha + 1e-12


@settings(deadline=None, max_examples=40)
@given(varied)
def test_the_interval_excludes_zero_exactly_when_p_reaches_alpha(values):
    found = one(values)
    assert (found.low > 1e-9 or found.high < -1e-9) == (found.p <= 0.05)


@settings(deadline=None, max_examples=30)
@given(varied, st.floats(-5, 5), st.floats(0.1, 9), st.randoms(use_true_random=False))
def test_mirror_shift_scale_and_order(values, shift, scale, random):
    found, mirrored = one(values), one(-values)
    assert (mirrored.p, mirrored.low, mirrored.high) == pytest.approx((found.p, -found.high, -found.low), abs=1e-9)
    moved = one(values * scale + shift)
    assert moved.low == pytest.approx(found.low * scale + shift, abs=1e-8)
    assert moved.high == pytest.approx(found.high * scale + shift, abs=1e-8)
    shuffled = list(values)
    random.shuffle(shuffled)
    assert (one(shuffled).p, one(shuffled).low) == pytest.approx((found.p, found.low), abs=1e-9)


def test_usable_from_six_seven_and_nine_pairs():
    """2 / 2^n <= alpha / k for k = 1, 3, 8 at 95 % (the design's statistics page)."""
    assert [fewest_pairs(family_confidence(0.95, k)) for k in (1, 3, 8)] == [6, 7, 9]
    assert fewest_pairs(0.9375) == 5, "2/2^5 is exactly 0.0625"


def test_too_few_pairs_have_a_p_and_no_interval():
    found = one([1.0, 2.0, 3.0])
    assert (found.p, found.low, found.high, found.usable) == (0.25, None, None, False)


@pytest.mark.parametrize("values", [[1.0], [2.0] * 8, [0.0] * 12, [0.3, 0.1 + 0.2] * 6])
def test_one_pair_or_equal_differences_have_neither(values):
    found = one(values)
    assert (found.p, found.low, found.high) == (None, None, None)


def test_a_column_without_spread_leaves_the_others_as_they_are():
    values = generator(3).normal(size=8)
    both = sign_flip(np.column_stack([values, np.ones(8)]), ("x", "y"), 0.95, flips_for(8, generator()))
    assert (both["x"], both["y"].p) == (one(values), None)


@pytest.mark.parametrize("n", [17, 25])
def test_many_pairs_use_random_flips_with_their_own_counted(n):
    values = generator(n).normal(0.35, 1.0, n)
    found = one(values)
    assert (found.enumerated, found.flips) == (False, DRAWS + 1)
    steps = found.p * found.flips
    assert steps == pytest.approx(round(steps), abs=1e-9)
    assert found.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, abs=0.03)
    assert one(values) == found, "the same stream gives the same flips"
    far = one(values + 100.0)
    assert 1 / (DRAWS + 1) <= far.p < 0.001, "never zero: the flip of the data counts"


def test_random_flips_invert_to_the_values_that_they_do_not_reject():
    values, flips = generator(4).normal(0.3, 1.0, 18), flips_for(18, generator(5), draws=999)
    signs = 1.0 - 2.0 * flips.flipped.T

    def p(theta):
        sums = np.abs(signs @ (values - theta))
        return (1 + (sums >= abs((values - theta).sum()) - 1e-12).sum()) / 1000

    found = sign_flip(values[:, None], ("x",), 0.95, flips)["x"]
    assert found.p == pytest.approx(p(0.0), abs=1e-12)
    for end, inwards in ((found.low, 1e-7), (found.high, -1e-7)):
        assert p(end + inwards) > 0.05 >= p(end - inwards)


def test_coverage_of_skewed_and_heavy_tailed_symmetric_differences():
    """Under symmetry the level is exact: at n = 8 the interval at 95 % misses with 6 * 2/256 = 4.7 %."""
    draws = generator(6).standard_t(2, (8, 4000))
    _, low, high = sign_flip_arrays(draws, 0.95, flips_for(8, generator()))
    misses = np.mean((low > 0) | (high < 0))
    assert misses == pytest.approx(12 / 256, abs=3.5 * (0.047 * 0.953 / 4000) ** 0.5)


def joint(values):
    values = np.asarray(values, dtype=float)
    return JointDifferences(tuple(range(len(values))), tuple("abcdefgh"[: values.shape[1]]), values)


def test_max_t_is_its_definition():
    values = generator(7).normal(0.5, 1.0, (10, 3, 2)) + generator(8).normal(size=(10, 1, 1))
    found = max_t(joint(values), ("x", "y"), flips_for(10, generator()))
    signs = np.array(list(product((-1.0, 1.0), repeat=10)))

    def t(flipped):
        return np.abs(flipped.mean(axis=0)) / (flipped.std(axis=0, ddof=1) / 10**0.5)

    largest = np.array([t(values * sign[:, None, None]).max(axis=0) for sign in signs])
    for at, name in enumerate("abc"):
        for column, summary in enumerate("xy"):
            share = (largest[:, column] >= t(values)[at, column] * (1 - 1e-9)).mean()
            assert found.p[name][summary] == pytest.approx(share, abs=1e-12)


def test_one_treatment_alone_has_the_plain_sign_flip_p():
    values, flips = generator(9).normal(0.5, 1.0, (12, 1, 2)), flips_for(12, generator())
    found = max_t(joint(values), ("x", "y"), flips)
    plain = sign_flip(values[:, 0], ("x", "y"), 0.95, flips)
    assert [found.p["a"]["x"], found.p["a"]["y"]] == pytest.approx([plain["x"].p, plain["y"].p], abs=1e-12)


def test_adjusted_p_is_no_smaller_than_plain_and_treatments_may_come_in_any_order():
    values, flips = generator(10).normal(0.4, 1.0, (11, 4, 1)), flips_for(11, generator())
    found = max_t(joint(values), ("x",), flips)
    for at, name in enumerate("abcd"):
        assert found.p[name]["x"] >= sign_flip(values[:, at], ("x",), 0.95, flips)["x"].p
    turned = max_t(joint(values[:, ::-1]), ("x",), flips)
    assert [turned.p[name]["x"] for name in "dcba"] == pytest.approx([found.p[name]["x"] for name in "abcd"])


def test_a_treatment_that_equals_its_control_has_no_p_and_takes_nothing_from_the_others():
    values, flips = generator(11).normal(0.5, 1.0, (10, 2, 1)), flips_for(10, generator())
    values[:, 1] = 0.0
    found = max_t(joint(values), ("x",), flips)
    assert found.p["b"]["x"] is None
    assert found.p["a"]["x"] == pytest.approx(sign_flip(values[:, 0], ("x",), 0.95, flips)["x"].p, abs=1e-12)


def test_nine_common_seeds_are_too_few():
    found = max_t(joint(np.ones((9, 2, 1))), ("x",), None)
    assert (found.n, found.k, found.p) == (9, 2, {})


def test_family_error_at_no_effect():
    """Four treatments share a control; some adjusted p <= .05 in at most 5 % of studies (3.5 standard errors)."""
    rng, flips = generator(12), flips_for(10, generator())
    draws = rng.normal(size=(1500, 10, 4, 1)) + rng.normal(size=(1500, 10, 1, 1))
    wrong = [min(row["x"] for row in max_t(joint(study), ("x",), flips).p.values()) <= 0.05 for study in draws]
    assert np.mean(wrong) < 0.05 + 3.5 * (0.05 * 0.95 / 1500) ** 0.5
    assert np.mean(wrong) > 0.03


def test_treatments_are_compared_on_the_seeds_that_all_of_them_have():
    scores = table({"static": [50.0, 51, 52, 53], "a": [51.0, 53, 52], "b": [50.0, 50, 50, 50]})
    found = joint_differences(scores, "static", ("a", "b"), SummaryMatrix.of(analysis().summaries))
    assert (found.seeds, found.values.shape) == ((1, 2, 3), (3, 2, 6))
    assert found.values[:, :, 0] == pytest.approx(np.array([[1.0, 0], [2, -1], [0, -2]]))
