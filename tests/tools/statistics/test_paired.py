import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tools.statistics.levels import family_confidence, holm, tost_confidence
from tools.statistics.paired import critical_t, paired_t

spread_out = st.lists(st.floats(-50, 50), min_size=2, max_size=12).filter(lambda v: np.std(v) > 1e-3)


@settings(deadline=None)
@given(spread_out, st.floats(0.6, 0.999))
def test_interval_and_p_agree_with_scipy(values, confidence):
    ours, theirs = paired_t(values, confidence), stats.ttest_1samp(values, 0.0)
    low, high = theirs.confidence_interval(confidence)
    assert (ours.n, ours.mean) == (len(values), pytest.approx(np.mean(values), abs=1e-12))
    assert ours.sd == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert (ours.low, ours.high) == (pytest.approx(low, rel=1e-9, abs=1e-9), pytest.approx(high, rel=1e-9, abs=1e-9))
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-12)


def test_one_pair_has_a_mean_and_no_interval():
    assert paired_t([1.5], 0.95) == (1, 1.5, None, None, None, None)


def test_no_pair_has_nothing():
    assert paired_t([], 0.95) == (0, None, None, None, None, None)


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [0.3, 0.1 + 0.2, 0.3], [2.0, 2.0]])
def test_equal_differences_never_give_a_zero_width_interval(values):
    found = paired_t(values, 0.95)
    assert found.sd == 0.0
    assert (found.low, found.high, found.p) == (None, None, None)


def test_critical_values_of_three_seeds():
    """4.3 for one treatment, 7.65 for three, 12.6 for eight (Student's t, 2 degrees of freedom)."""
    found = [critical_t(2, family_confidence(0.95, k)) for k in (1, 3, 8)]
    assert found == pytest.approx([4.302652729911275, 7.648845, 12.590], rel=1e-4)


def test_holm_agrees_with_statsmodels():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(0)
    cases = [[0.5], [0.0, 1.0], [0.02, 0.02, 0.02], *(rng.random(size) ** 4 for size in range(2, 10))]
    for p_values in cases:
        found = holm({str(i): float(p) for i, p in enumerate(p_values)})
        assert list(found.values()) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)


def test_holm_counts_comparisons_that_have_no_p_value():
    assert holm({"a": 0.01, "b": None}) == {"a": 0.02, "b": None}
    assert holm({"a": 0.01}, comparisons=3) == {"a": 0.03}


@settings(deadline=None)
@given(spread_out)
def test_tost_interval_is_inside_the_interval_and_agrees_with_two_one_sided_tests(values):
    wide, tost = paired_t(values, 0.95), paired_t(values, tost_confidence(0.95))
    assert wide.low < tost.low < tost.high < wide.high
    p_low = stats.ttest_1samp(values, -1.0, alternative="greater").pvalue
    p_high = stats.ttest_1samp(values, 1.0, alternative="less").pvalue
    if abs(max(p_low, p_high) - 0.05) > 1e-9:
        assert (tost.low > -1.0 and tost.high < 1.0) == (max(p_low, p_high) < 0.05)
