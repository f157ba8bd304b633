"""Power of one summary: against scipy and statsmodels, against the design's check values, and at the edges."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tools.statistics.paired import critical_t
from tools.statistics.power import one_summary as power


def test_power_agrees_with_statsmodels_and_is_never_nan():
    from statsmodels.stats.power import TTestPower

    theirs_was_nan = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (2, 3, 4, 5, 8, 12, 20, 40, 75, 120, 200):
            for ratio in (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0):
                for alpha in (0.05, 0.05 / 8):
                    ours = power.power(n, ratio, 1.0, alpha)
                    theirs = TTestPower().power(ratio, n, alpha, alternative="two-sided")
                    assert 0.0 <= ours <= 1.0
                    if np.isnan(theirs):
                        theirs_was_nan += 1
                    else:
                        assert ours == pytest.approx(theirs, abs=1e-9), (n, ratio, alpha)
    assert theirs_was_nan > 0, "the grid reaches the corner that the own integral is there for"


@given(st.integers(2, 3000), st.floats(0, 0.7), st.floats(0.001, 0.2))
@settings(deadline=None, max_examples=60)
def test_tail_agrees_with_scipy(n, ratio, alpha):
    nc, critical = ratio * n**0.5, critical_t(n - 1, 1 - alpha)
    theirs = stats.nct.sf(critical, n - 1, nc)
    if not np.isnan(theirs):
        assert power.power_one_way(n, ratio, 1.0, alpha) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 10, 1000, 10**6])
def test_at_no_effect_power_is_alpha(n):
    assert power.power(n, 0.0, 3.0, 0.01) == pytest.approx(0.01, abs=1e-10)


def test_check_values_of_detectable_effects():
    """80 %, two-sided 5 %, one summary: the table in the design's statistics page."""
    found = [power.detectable_effect(n, 1.0, 0.05) for n in (3, 5, 8, 12, 20, 40)]
    assert found == pytest.approx([3.264, 1.682, 1.156, 0.889, 0.660, 0.454], abs=0.0006)


def test_check_values_of_seeds():
    assert power.seeds_needed(1.0, 1.37, 0.05) == 17
    assert power.seeds_needed(0.5, 1.37, 0.05) == 61
    assert [power.seeds_for_equivalence(1.0, sd, 0.05) for sd in (0.70, 1.37, 2.79)] == [8, 22, 84]


@pytest.mark.parametrize(("effect", "sd", "alpha"), [(1.0, 1.37, 0.05), (5.0, 0.5, 0.05), (0.3, 2.0, 0.05 / 8)])
def test_seeds_needed_is_the_smallest_number(effect, sd, alpha):
    n = power.seeds_needed(effect, sd, alpha)
    assert power.power_one_way(n, effect, sd, alpha) >= 0.8
    assert n == 2 or power.power_one_way(n - 1, effect, sd, alpha) < 0.8


def test_the_detectable_effect_is_seen_with_the_power_asked_for():
    effect = power.detectable_effect(7, 1.9, 0.02, 0.9)
    assert power.power(7, effect, 1.9, 0.02) == pytest.approx(0.9, abs=1e-9)


def test_one_pair_and_none_have_no_power_and_no_interval():
    for n in (0, 1):
        assert power.power(n, 100.0, 0.1, 0.05) == 0.0
        assert power.power_one_way(n, 100.0, 0.1, 0.05) == 0.0
        assert power.power_equivalence(n, 0.0, 0.1, 0.05, 1.0) == 0.0
        assert power.detectable_effect(n, 1.0, 0.05) is None
        assert power.expected_half_width(n, 1.0, 0.05) is None


def test_more_than_a_million_pairs_is_no_answer():
    assert power.seeds_needed(1e-6, 1.0, 0.05) is None
    assert power.seeds_needed(0.0, 1.0, 0.05) is None
    assert power.seeds_for_equivalence(1e-6, 1.0, 0.05) is None


def test_equivalence_power_agrees_with_simulation():
    rng = np.random.default_rng(5)
    for n, effect, sd in ((4, 0.0, 0.4), (8, 0.3, 0.7), (30, -0.2, 1.5)):
        draws = rng.normal(effect, sd, (40_000, n))
        half = critical_t(n - 1, 0.95) * draws.std(axis=1, ddof=1) / n**0.5
        share = (np.abs(draws.mean(axis=1)) + half < 1.0).mean()
        assert power.power_equivalence(n, effect, sd, 0.05, 1.0) == pytest.approx(share, abs=0.01)


def test_expected_half_width_agrees_with_simulation():
    sds = np.random.default_rng(6).normal(0, 2.0, (100_000, 3)).std(axis=1, ddof=1)
    assert power.expected_half_width(3, 2.0, 0.05) == pytest.approx(4.302653 * sds.mean() / 3**0.5, rel=0.01)


def test_upper_limit_of_an_sd():
    """s sqrt(2 / 0.446287): the .20 quantile of chi-squared with 2 degrees of freedom is -2 ln(.8)."""
    assert power.upper_sd(3.7, 2) == pytest.approx(3.7 * (2 / (-2 * np.log(0.8))) ** 0.5, rel=1e-12)
    assert power.upper_sd(1.0, 38) == pytest.approx((38 / stats.chi2.ppf(0.2, 38)) ** 0.5, rel=1e-9)


@pytest.mark.parametrize("threshold", [2, 3, 17, 1000, 65_537])
def test_smallest_finds_the_threshold(threshold):
    assert power.smallest(lambda n: n >= threshold) == threshold
    assert power.smallest(lambda n: n >= threshold, low=2, high=threshold) == threshold
    assert power.smallest(lambda n: n >= threshold, low=2, high=max(2, threshold - 1)) == (
        2 if threshold == 2 else None
    )
