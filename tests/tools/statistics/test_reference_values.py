"""The numbers that everything rests on, against scipy, statsmodels and full enumeration, to 1e-9 over wide grids."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import special, stats

from tools.statistics.levels import family_confidence, holm
from tools.statistics.paired import critical_t, paired_t
from tools.statistics.power import one_summary as power
from tools.statistics.sensitivity.sign_flip import MOST_ENUMERATED, flips_for, sign_flip

PAIRS = range(2, 201)
EFFECTS = np.geomspace(0.05, 20.0, 18)
"""In SDs of a paired difference."""


def exact_power(n, effects, alpha):
    """T^2 is noncentral F with (1, n - 1) degrees of freedom: a Poisson mixture of beta distributions, all terms of
    one sign (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2, ch. 30)."""
    critical = stats.t.isf(alpha / 2, n - 1)
    within = critical**2 / (critical**2 + n - 1)
    powers = []
    for half in n * effects**2 / 2:
        reach = 12 * half**0.5 + 60
        j = np.arange(max(0, int(half - reach)), int(half + reach))
        powers.append(1 - (stats.poisson.pmf(j, half) * special.betainc(j + 0.5, (n - 1) / 2, within)).sum())
    return np.array(powers)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 8])
def test_power_over_n_2_to_200_and_d_005_to_20(alpha):
    """Statsmodels 0.15 with scipy 1.17 gives NaN in 449 (alpha .05) and 558 (.05 / 8) of these 3,582 cases, from
    noncentralities of 8.3 and 6.1 on: its `nct.cdf` of the far lower tail. The own integral is held to the
    noncentral F mixture there, and to both everywhere else."""
    from statsmodels.stats.power import TTestPower

    nan = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in PAIRS:
            ours = np.array([power.power(n, effect, 1.0, alpha) for effect in EFFECTS])
            assert np.isfinite(ours).all()
            assert ours == pytest.approx(exact_power(n, EFFECTS, alpha), abs=1e-9), n
            theirs = TTestPower().power(EFFECTS, n, alpha, alternative="two-sided")
            there = np.isfinite(theirs)
            nan += int((~there).sum())
            assert ours[there] == pytest.approx(theirs[there], abs=1e-9), n
    assert 0 < nan < len(PAIRS) * len(EFFECTS) / 4, "statsmodels answers at least three of four"


def test_power_is_finite_and_monotone_in_the_corners_where_nct_is_nan():
    for n in (2, 3, 10, 200):
        found = [power.power_one_way(n, effect, 1.0, alpha) for alpha in (0.05, 1e-4) for effect in (0.0, 7.8, 50, 1e3)]
        assert np.isfinite(found).all()
        assert found[:4] == sorted(found[:4])
        assert found[4:] == sorted(found[4:])
        assert power.power(n, 1e4, 1.0, 0.05) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_critical_values_for_all_n(k):
    confidence = family_confidence(0.95, k)
    ours = [critical_t(n - 1, confidence) for n in PAIRS]
    assert ours == pytest.approx(stats.t.ppf(1 - 0.025 / k, np.array(PAIRS) - 1).tolist(), rel=1e-9)


def test_paired_t_for_many_n_scales_and_levels():
    rng = np.random.default_rng(0)
    for n, scale, k in product((2, 3, 5, 8, 20, 200), (0.01, 1.0, 40.0), (1, 3, 8)):
        values = rng.normal(0.3 * scale, scale, n)
        found, theirs = paired_t(values, family_confidence(0.95, k)), stats.ttest_1samp(values, 0.0)
        low, high = theirs.confidence_interval(1 - 0.05 / k)
        assert (found.low / scale, found.high / scale) == pytest.approx((low / scale, high / scale), abs=1e-9)
        assert found.p == pytest.approx(theirs.pvalue, abs=1e-9)


def test_holm_with_ties_zeros_and_ones():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(1)
    cases = [[0.01], [0.0, 0.0, 1.0], [0.03] * 5, *(np.round(rng.random(size) ** 3, 2) for size in range(2, 30))]
    for p_values in cases:
        found = holm({str(at): float(p) for at, p in enumerate(p_values)})
        assert list(found.values()) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 6, 9, 12, MOST_ENUMERATED])
def test_sign_flip_p_of_every_flip_there_is(n):
    rng = np.random.default_rng(n)
    signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    for values in (rng.normal(0.5, 1.0, n), rng.integers(-3, 5, n) / 8.0, rng.exponential(size=n) - 0.5):
        sums = np.abs(signs @ values)
        expected = (sums >= abs(values.sum()) - 1e-12).mean()
        found = sign_flip(values[:, None], ("x",), 0.95, flips_for(n, rng))["x"]
        assert (found.p, found.flips, found.enumerated) == (pytest.approx(expected, abs=1e-12), 2**n, True)
