"""All weightings: shares against enumeration by hand, the extreme weightings against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.report.sensitivity.weightings import section
from tools.scores.table import PairedScores
from tools.statistics.paired import critical_t, fixed, paired_t
from tools.statistics.sensitivity.best_weighting import best_weighting
from tools.statistics.sensitivity.weightings import draw_weights, weightings

THREE = {"a": "math", "b": "math", "c": "logic"}
EIGHT = {f"b{i}": f"d{i % 3}" for i in range(8)}


def pairs(differences):
    differences = np.asarray(differences, dtype=float)
    control = np.full(differences.shape, 50.0)
    return PairedScores(tuple(range(len(differences))), control + differences, control)


def drawn(domains, draws=2_000, seed=0):
    return draw_weights(domains, np.random.default_rng(seed), draws)


def over_domains(draws):
    return None if draws.by_domain is None else draws.inside_domains @ draws.by_domain


def share(result, kind):
    return next(one for one in result.shares if one.kind == kind)


def noisy(seed, n, size, effect=0.5, sd=3.0):
    rng = np.random.default_rng(seed)
    return effect + sd * rng.standard_normal((n, size))


def test_all_seven_subsets_of_three_benchmarks_are_read_as_by_hand():
    differences = np.array([[2.0, -1.0, 0.5], [2.2, -0.2, -3.0], [1.9, -0.7, 2.0], [2.1, 0.1, 0.4]])
    above = below = 0
    for size in (1, 2, 3):
        for chosen in itertools.combinations(range(3), size):
            interval = paired_t(differences[:, chosen].mean(axis=1), 0.95)
            above += interval.low > 0
            below += interval.high < 0
    result = share(weightings(pairs(differences), drawn(THREE), 0.95), "subsets")
    assert above >= 1, "the example should exclude zero somewhere"
    assert (result.weightings, result.exact) == (7, True)
    assert (result.above, result.below) == (above / 7, below / 7)


def test_twelve_benchmarks_have_4095_subsets_and_thirteen_are_drawn():
    twelve = drawn({f"b{i}": "" for i in range(12)}).subsets
    assert twelve.shape == (12, 4095)
    assert len({tuple(column) for column in (twelve > 0).T.tolist()}) == 4095
    assert drawn({f"b{i}": "" for i in range(13)}, 10_000).subsets.shape == (13, 10_000)


@pytest.mark.parametrize("size", [1, 3, 13])
def test_every_weighting_is_non_negative_and_sums_to_one(size):
    draws = drawn({f"b{i}": ("x", "y")[i % 2] for i in range(size)})
    for weights in (over_domains(draws), draws.subsets, draws.by_benchmark):
        if weights is not None:
            assert (weights >= 0).all()
            np.testing.assert_allclose(weights.sum(axis=0), 1.0, atol=1e-12)


def test_weights_on_domains_are_uniform_over_the_domains_and_equal_inside():
    weights = over_domains(drawn(THREE, 20_000))
    np.testing.assert_allclose(weights[0], weights[1])
    share_of_math = 2 * weights[0]
    # Dirichlet(1) over two domains: each share is uniform on [0, 1].
    assert share_of_math.mean() == pytest.approx(0.5, abs=0.01)
    assert share_of_math.var() == pytest.approx(1 / 12, abs=0.005)


@pytest.mark.parametrize(
    ("domains", "reason"),
    [
        ({"a": "", "b": ""}, "no domains"),
        ({"a": "math", "b": ""}, "1 of the 2 benchmarks"),
        ({"a": "math", "b": "math"}, "one domain"),
    ],
)
def test_without_domains_their_weightings_are_left_out_and_the_report_says_so(domains, reason):
    result = weightings(pairs(noisy(1, 4, 2)), drawn(domains), 0.95)
    assert [one.kind for one in result.shares] == ["subsets", "benchmarks"]
    assert reason in section(result, "tscl")


def test_the_shares_of_random_weights_are_those_of_a_loop_over_intervals():
    differences, draws = noisy(2, 5, 8, effect=1.0), drawn(EIGHT, 300)
    result = weightings(pairs(differences), draws, 0.9)
    for kind, weights in (("domains", over_domains(draws)), ("benchmarks", draws.by_benchmark)):
        lows = [paired_t(differences @ column, 0.9).low for column in weights.T]
        assert share(result, kind).above == np.mean(np.array(lows) > 0)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_weighting_of_three_benchmarks_is_the_best_of_a_grid(seed):
    n = (2, 3, 3, 5, 8, 20)[seed]
    differences = noisy(seed, n, 3)
    level = critical_t(n - 1, 0.95)
    steps = np.arange(401)
    grid = np.array([(a, b, 400 - a - b) for a in steps for b in steps[: 401 - a]]).T / 400
    weighted = differences @ grid
    limits = weighted.mean(axis=0) - level * weighted.std(axis=0, ddof=1) / n**0.5
    found = differences @ best_weighting(differences, fixed(len(differences), 0.95))
    limit = found.mean() - level * found.std(ddof=1) / n**0.5
    assert limit >= limits.max() - 1e-4
    # |slope| of the limit times the grid's spacing bounds what the grid can miss.
    assert limit <= limits.max() + 0.005 * np.abs(differences).max() * (1 + level)


@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(2, 14))
@settings(max_examples=40)
def test_no_random_weighting_has_a_higher_lower_limit_than_the_best_one(seed, n, size):
    differences = noisy(seed, n, size)
    level = critical_t(n - 1, 0.95) / n**0.5
    weights = np.random.default_rng(seed).dirichlet(np.full(size, 0.3), 3_000).T
    weighted = differences @ weights
    limits = weighted.mean(axis=0) - level * weighted.std(axis=0, ddof=1)
    best = best_weighting(differences, fixed(len(differences), 0.95))
    own = differences @ best
    largest = differences.std(axis=0, ddof=1).max()
    assert best.min() >= 0
    assert best.sum() == pytest.approx(1.0)
    assert own.mean() - level * own.std(ddof=1) >= limits.max() - 1e-3 * level * largest


@given(st.integers(0, 10_000), st.integers(2, 8))
@settings(max_examples=20)
def test_no_weighting_has_a_lower_limit_below_that_of_the_least_favourable_benchmark(seed, n):
    differences, draws = noisy(seed, n, 8), drawn(EIGHT, 200)
    least = weightings(pairs(differences), draws, 0.95).least_favourable
    lows = [paired_t(differences @ column, 0.95).low for column in draws.by_benchmark.T]
    assert len(least.weights) == 1
    assert least.low <= min(lows) + 1e-9


@given(st.integers(0, 10_000), st.integers(2, 8))
@settings(max_examples=20)
def test_swapping_the_arms_swaps_for_and_against(seed, n):
    one, draws = pairs(noisy(seed, n, 8, effect=2.0)), drawn(EIGHT, 200)
    ours = weightings(one, draws, 0.95)
    theirs = weightings(PairedScores(one.seeds, one.control, one.treatment), draws, 0.95)
    assert [(a.above, a.below) for a in ours.shares] == [(b.below, b.above) for b in theirs.shares]
    assert ours.most_favourable.weights == theirs.most_adverse.weights
    assert ours.most_favourable.mean == pytest.approx(-theirs.most_adverse.mean)


@given(st.integers(0, 10_000), st.permutations(range(8)), st.permutations(range(5)))
@settings(max_examples=20)
def test_the_order_of_benchmarks_and_of_seeds_changes_nothing(seed, order, seeds):
    differences, draws = noisy(seed, 5, 8, effect=2.0), drawn(EIGHT, 200)
    permuted = draws._replace(
        benchmarks=tuple(draws.benchmarks[at] for at in order),
        inside_domains=draws.inside_domains[order],
        subsets=draws.subsets[order],
        by_benchmark=draws.by_benchmark[order],
    )
    ours = weightings(pairs(differences), draws, 0.95)
    theirs = weightings(pairs(differences[list(seeds)][:, order]), permuted, 0.95)
    assert ours.shares == theirs.shares
    assert list(ours.least_favourable.weights) == list(theirs.least_favourable.weights)


def test_identical_arms_exclude_zero_under_no_weighting():
    result = weightings(pairs(np.zeros((4, 8))), drawn(EIGHT), 0.95)
    assert all((one.above, one.below, one.not_estimable) == (0, 0, 1) for one in result.shares)
    assert result.most_favourable.low is None
    assert "nan" not in section(result, "tscl").lower()


@pytest.mark.parametrize("n", [0, 1])
def test_below_two_pairs_nothing_is_computed_and_the_words_say_so(n):
    result = weightings(pairs(noisy(0, n, 8)), drawn(EIGHT), 0.95)
    assert result.shares == ()
    assert f"n = {n}" in section(result, "tscl")


def test_two_pairs_can_always_be_made_to_agree_when_they_disagree_about_the_sign_of_the_change():
    result = weightings(pairs([[3.0, 0.0], [0.0, 3.0]]), drawn({"a": "", "b": ""}), 0.95)
    assert result.most_favourable.weights == pytest.approx({"a": 0.5, "b": 0.5})
    assert result.most_favourable.low is None, "equal differences have no interval"
    assert "no width" in section(result, "tscl")


def test_the_section_names_its_basis_and_calls_shares_what_they_are():
    shown = section(weightings(pairs(noisy(3, 5, 8, effect=3.0)), drawn(EIGHT, 20_000), 0.95), "tscl")
    for needed in ("n = 5 seed pairs", "95 %", "unadjusted", "not probabilities", "Chosen after the fact", "20,000"):
        assert needed in shown


def test_a_share_that_is_not_zero_is_not_printed_as_zero():
    differences = noisy(4, 3, 12, effect=0.0)
    result = weightings(pairs(differences), drawn({f"b{i}": "" for i in range(12)}), 0.95)
    few = result.shares[0].model_copy(update={"above": 1 / 4095})
    assert "under 0.1 %" in section(result.model_copy(update={"shares": (few,)}), "tscl")
