"""BCa against scipy on the same resamples; Welch against scipy; the pairing gain against its check values."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tools.statistics.paired import paired_t
from tools.statistics.sensitivity.bca import bca, bca_limits, resamples_for
from tools.statistics.sensitivity.pairing import break_even, gain_limits, pairing, welch


def generator(seed=0):
    return np.random.default_rng(seed)


def one(values, confidence=0.95, count=2000):
    values = np.asarray(values, dtype=float)
    return bca(values[:, None], ("x",), confidence, resamples_for(len(values), generator(), count))["x"]


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "heavy-tailed": lambda rng, n: rng.standard_t(2, n),
}


@pytest.mark.parametrize("draw", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("confidence", [0.95, 0.99375])
def test_bca_agrees_with_scipy_on_the_same_resamples(draw, confidence):
    for n in (8, 13, 20):
        values = draw(generator(n), n)
        resamples = resamples_for(n, generator(1), 3000)
        drawn = SimpleNamespace(bootstrap_distribution=values @ resamples)
        theirs = stats.bootstrap(
            (values,), np.mean, method="BCa", confidence_level=confidence, n_resamples=0, bootstrap_result=drawn
        ).confidence_interval
        found = bca(values[:, None], ("x",), confidence, resamples)["x"]
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_bca_counts_ties_with_the_mean_half_as_scipy_does():
    values = np.array([0.0] * 6 + [1.0, -1.0])
    resamples = resamples_for(8, generator(2), 999)
    drawn = SimpleNamespace(bootstrap_distribution=values @ resamples)
    theirs = stats.bootstrap((values,), np.mean, method="BCa", n_resamples=0, bootstrap_result=drawn)
    found = bca(values[:, None], ("x",), 0.95, resamples)["x"]
    assert (found.low, found.high) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-9)


varied = st.lists(st.integers(-40, 40), min_size=8, max_size=12).map(lambda v: np.array(v) / 8).filter(np.std)


@settings(deadline=None, max_examples=25)
@given(varied, st.floats(-5, 5), st.floats(0.1, 9))
def test_bca_shifts_and_scales_and_is_never_empty(values, shift, scale):
    found, moved = one(values), one(values * scale + shift)
    assert found.low < found.high
    assert (moved.low, moved.high) == pytest.approx((found.low * scale + shift, found.high * scale + shift), abs=1e-8)


@settings(deadline=None, max_examples=25)
@given(varied)
def test_bca_of_swapped_arms_is_the_mirror(values):
    found, mirrored = one(values), one(-values)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-9)


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], list(range(7)), [2.0] * 9])
def test_bca_needs_eight_pairs_that_vary(values):
    found = one(values)
    assert (found.n, found.low, found.high) == (len(values), None, None)
    assert bca(np.ones((3, 1)), ("x",), 0.95, None)["x"].resamples == 0


def test_each_resample_draws_n_pairs():
    shares = resamples_for(9, generator(), 50)
    assert shares.shape == (9, 50)
    assert shares.sum(axis=0) == pytest.approx(np.ones(50))


@pytest.mark.parametrize(("n1", "n2"), [(2, 2), (3, 3), (3, 7), (20, 12)])
def test_welch_agrees_with_scipy(n1, n2):
    rng = generator(n1)
    ours, theirs = rng.normal(50, 1.0, (n1, 4)), rng.normal(51, 3.0, (n2, 4))
    found = welch(ours, theirs, 0.9833)
    reference = stats.ttest_ind(ours, theirs, equal_var=False)
    low, high = reference.confidence_interval(0.9833)
    assert found.difference - found.half_width == pytest.approx(low, abs=1e-9)
    assert found.difference + found.half_width == pytest.approx(high, abs=1e-9)
    assert found.df == pytest.approx(reference.df, abs=1e-9)


def test_break_even_check_values():
    """58, 31, 18, 11 % at n = 3, 5, 8, 12 (the design's statistics page)."""
    assert [round(100 * break_even(n, 0.95)) for n in (3, 5, 8, 12)] == [58, 31, 18, 11]
    assert break_even(1, 0.95) is None
    assert break_even(3, 1 - 0.05 / 8) > break_even(3, 0.95), "a family raises the price"


def scores(seed, n, shared, spreads=(1.0, 1.0), columns=1):
    rng = generator(seed)
    common = shared * rng.normal(size=(n, columns))
    return tuple(50 + common + spread * rng.normal(size=(n, columns)) for spread in spreads)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 15), st.floats(0, 4), st.floats(0.2, 5))
def test_the_gain_is_the_ratio_of_the_half_widths_and_lies_between_its_limits(seed, n, shared, spread):
    ours, theirs = scores(seed, n, shared, (1.0, spread))
    found = pairing(ours, theirs, ("x",), 0.95)["x"]
    paired = paired_t((ours - theirs)[:, 0], 0.95)
    ratio = (paired.high - paired.low) / (found.high_welch - found.low_welch)
    assert found.net_gain == pytest.approx(1 - ratio**2, rel=1e-9, abs=1e-9)
    assert found.low_net_gain < found.net_gain < found.high_net_gain < 1
    assert (found.low_welch + found.high_welch) / 2 == pytest.approx(paired.mean, abs=1e-9)
    swapped = pairing(theirs, ours, ("x",), 0.95)["x"]
    assert swapped.net_gain == pytest.approx(found.net_gain, abs=1e-9)
    assert (swapped.low_welch, swapped.high_welch) == pytest.approx((-found.high_welch, -found.low_welch), abs=1e-9)
    shifted = pairing(ours + 7, theirs + 7, ("x",), 0.95)["x"]
    assert shifted.low_net_gain == pytest.approx(found.low_net_gain, abs=1e-6)
    order = generator(seed).permutation(n)
    assert pairing(ours[order], theirs[order], ("x",), 0.95)["x"].net_gain == pytest.approx(found.net_gain, abs=1e-9)


def test_pairing_pays_exactly_beyond_the_break_even():
    """Equal spreads: the gain is zero where the cut equals the break-even."""
    for n in (3, 8):
        rng = generator(n)
        centred = rng.normal(size=(n, 2))
        centred -= centred.mean(axis=0)
        first = centred[:, 0] / np.linalg.norm(centred[:, 0])
        second = centred[:, 1] - first * (first @ centred[:, 1])
        second /= np.linalg.norm(second)
        for extra, sign in ((0.01, 1), (-0.01, -1)):
            rho = break_even(n, 0.95) + extra  # with equal variances the cut is the correlation
            other = rho * first + (1 - rho**2) ** 0.5 * second
            found = pairing(first[:, None], other[:, None], ("x",), 0.95)["x"]
            assert found.variance_cut == pytest.approx(rho, abs=1e-9)
            assert np.sign(found.net_gain) == sign


@pytest.mark.parametrize(("n", "spreads"), [(3, (1.0, 1.0)), (8, (1.0, 1.0)), (5, (1.0, 3.0))])
def test_the_limits_of_the_gain_cover_it(n, spreads):
    """95 % with equal spreads, more with unequal ones; 8,000 studies, 3.5 standard errors."""
    shared, studies = 0.8, 8000
    ours, theirs = scores(n, n, shared, spreads, studies)
    low, high = gain_limits(ours, theirs, 0.95)
    apart = 2 * shared**2 + spreads[0] ** 2 + spreads[1] ** 2
    variances = shared**2 + np.square(spreads)
    df = variances.sum() ** 2 / (variances**2).sum() * (n - 1)
    true = 1 - (stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, df)) ** 2 * np.square(spreads).sum() / apart
    share, error = np.mean((low < true) & (true < high)), (0.05 * 0.95 / studies) ** 0.5
    assert share > 0.95 - 3.5 * error
    if spreads[0] == spreads[1]:
        assert share < 0.95 + 3.5 * error


@pytest.mark.parametrize("n", [0, 1])
def test_one_pair_has_no_welch_interval_and_no_gain(n):
    found = pairing(np.full((n, 1), 50.0), np.full((n, 1), 49.0), ("x",), 0.95)["x"]
    assert (found.low_welch, found.df_welch, found.net_gain, found.break_even) == (None, None, None, None)


def test_equal_differences_or_equal_scores_give_no_gain():
    rising = np.arange(5.0)[:, None]
    found = pairing(rising + 1, rising, ("x",), 0.95)["x"]
    assert found.variance_cut == pytest.approx(1.0)
    assert (found.net_gain, found.low_net_gain, found.high_net_gain) == (None, None, None)
    flat = pairing(np.full((5, 1), 50.0), np.full((5, 1), 49.0), ("x",), 0.95)["x"]
    assert (flat.low_welch, flat.variance_cut, flat.net_gain) == (None, None, None)


def test_bca_limits_of_many_columns_are_those_of_each():
    values, resamples = generator(5).exponential(size=(9, 30)), resamples_for(9, generator(6), 500)
    low, high = bca_limits(values, 0.95, resamples)
    each = [bca_limits(values[:, [at]], 0.95, resamples) for at in range(30)]
    assert low == pytest.approx(np.concatenate([one[0] for one in each]))
    assert high == pytest.approx(np.concatenate([one[1] for one in each]))
