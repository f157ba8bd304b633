"""Rankings of the arms: against scipy, against simulation, and what must not change them."""

import time
from math import erf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.tools.public_runs import NEEDED, public_tables
from tests.tools.score_tables import DOMAINS, table
from tools.report.sensitivity.ranks import section
from tools.scores.summaries import verdict_set
from tools.scores.table import ScoreTable
from tools.statistics.sensitivity.arm_model import arm_model
from tools.statistics.sensitivity.collapsed import CellIndex, without
from tools.statistics.sensitivity.ranks import ranks, spearman

SET = verdict_set(DOMAINS)
PRIMARY = "domain_balanced_12"


def made(seed, arms=6, runs=3, spread=0.0, sd=1.0):
    rng = np.random.default_rng(seed)
    seeds = rng.normal(0, 3, (runs, 1))
    return {f"arm{at}": 50 + spread * at + seeds + sd * rng.standard_normal((runs, len(DOMAINS))) for at in range(arms)}


def ranked(scores, seed=0, **options):
    chosen = scores if isinstance(scores, ScoreTable) else table(scores)
    values = {"summaries": SET, "primary": PRIMARY, "confidence": 0.95, **options}
    return ranks(chosen, generator=np.random.default_rng(seed), **values)


def of_pair(result, first, second):
    return next(one for one in result.agreements if {one.first, one.second} == {first, second})


@given(st.integers(0, 10_000), st.integers(3, 30), st.booleans())
@settings(max_examples=40)
def test_spearman_is_that_of_scipy_ties_included(seed, items, tied):
    values = np.random.default_rng(seed).normal(0, 2, (3, items))
    if tied:
        values = np.round(values)
    if (np.ptp(values, axis=1) == 0).any():
        return
    np.testing.assert_allclose(spearman(values), spearmanr(values, axis=1).statistic, rtol=0, atol=1e-12)


def test_a_ranking_in_which_all_are_level_has_no_correlation():
    found = spearman(np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]]))
    assert np.isnan(found[0, 1])
    assert found[0, 0] == 1.0


@NEEDED
def test_the_public_table_gives_its_published_correlations():
    # The table's README: nine arms of the 7B-Instruct campaign `main`, -0.333 and +0.883.
    result = ranked(public_tables()["main", "standard"])
    assert result.arms == 9
    assert of_pair(result, PRIMARY, "math_heavy_6").rho == pytest.approx(-0.333, abs=5e-4)
    assert of_pair(result, PRIMARY, "flat_12").rho == pytest.approx(0.883, abs=5e-4)
    low, high = (getattr(of_pair(result, PRIMARY, "math_heavy_6"), side) for side in ("low", "high"))
    assert low < -0.4, "its own interval is wide"
    assert high > 0.4, "its own interval is wide"


def test_with_equal_arms_the_expected_correlation_is_that_of_many_simulated_studies():
    rng = np.random.default_rng(5)
    weights = {"left": {"a": 0.5, "b": 0.5}, "right": {"b": 0.5, "c": 0.5}}
    noise = rng.standard_normal((4_000, 8, 3))
    left, right = noise[..., :2].mean(axis=-1), noise[..., 1:].mean(axis=-1)
    truth = spearman(np.stack([left, right], axis=1))[:, 0, 1].mean()
    scores = rng.normal(50, 1, (8, 40, 3))
    big = plain_table(scores)
    result = ranked(big, summaries=weights, primary="left")
    assert of_pair(result, "left", "right").expected == pytest.approx(truth, abs=0.06)


def plain_table(scores):
    arms, seeds, benchmarks = scores.shape
    names = (
        tuple("abcdefghijklmnopqrstuvwxyz"[:benchmarks])
        if benchmarks <= 26
        else tuple(f"b{at}" for at in range(benchmarks))
    )
    return ScoreTable(
        ("mine",), tuple(f"arm{at}" for at in range(arms)), tuple(range(seeds)), names, dict.fromkeys(names, ""),
        scores, np.full(scores.shape, -1), ("",), np.zeros(scores.shape, dtype=np.int64),
    )  # fmt: skip


def test_chances_of_being_best_are_those_of_two_normals():
    # Two arms far above the rest, d apart: P(first) = Phi(d / (sd * sqrt(2 / n))), with the SD nearly known.
    rng = np.random.default_rng(2)
    scores = 50 + rng.standard_normal((40, 8, 1))
    scores[0] += 100 - scores[0].mean()
    scores[1] += 99.6 - scores[1].mean()
    result = ranked(plain_table(scores), summaries={"all": {"a": 1.0}}, primary="all")
    model = arm_model(plain_table(scores), {"all": {"a": 1.0}})
    z = 0.4 / np.sqrt(2 * model.covariance[0, 0] / 8)
    assert result.chances[0].arm == "arm0"
    assert result.chances[0].best == pytest.approx(0.5 * (1 + erf(z / 2**0.5)), abs=0.03)


def test_shares_of_firsts_sum_to_one_and_equal_arms_share_them_evenly():
    many = np.mean(
        [[one.best for one in sorted(ranked(made(seed)).chances, key=lambda one: one.arm)] for seed in range(30)],
        axis=0,
    )
    assert many.sum() == pytest.approx(1.0)
    assert many == pytest.approx(np.full(6, 1 / 6), abs=0.15)


def test_what_a_seed_adds_to_all_arms_changes_nothing():
    scores = made(3)
    moved = {arm: block + np.array([[20.0], [-7.0], [3.0]]) for arm, block in scores.items()}
    ours, theirs = ranked(scores), ranked(moved)
    for one, other in zip(ours.agreements, theirs.agreements, strict=True):
        assert one.rho == pytest.approx(other.rho)
        assert one.low == pytest.approx(other.low, abs=0.06)


@given(st.integers(0, 1_000), st.permutations(range(3)), st.permutations(range(12)))
@settings(max_examples=15)
def test_the_order_of_seeds_and_benchmarks_changes_no_correlation(seed, seeds, benchmarks):
    scores = made(seed, spread=0.3)
    one = ranked(scores)
    shuffled = table(scores)
    other = ScoreTable(
        shuffled.suites, shuffled.arms, shuffled.seeds, tuple(shuffled.benchmarks[at] for at in benchmarks),
        shuffled.domains, shuffled.scores[:, seeds][:, :, benchmarks], shuffled.questions, shuffled.harnesses,
        shuffled.harness,
    )  # fmt: skip
    for ours, theirs in zip(one.agreements, ranked(other).agreements, strict=True):
        assert ours.rho == pytest.approx(theirs.rho)


def test_a_hole_leaves_out_its_run_and_the_seed_it_missed_is_no_advantage():
    scores = made(4, sd=0.01, spread=1.0)
    for block in scores.values():
        block[2] -= 30.0
    holed = without(table(scores), [CellIndex(0, 2, 5)])
    result = ranked(holed)
    assert (result.fewest_runs, result.most_runs) == (2, 3)
    assert of_pair(result, PRIMARY, "flat_12").rho == 1.0
    assert result.chances[0].arm == "arm5", "arm0 missed the hard seed and is still the lowest arm"
    assert result.chances[-1].best == 0.0


def test_the_degrees_of_freedom_are_those_of_arm_and_seed_also_with_holes():
    whole = table(made(0))
    assert arm_model(whole, SET).df == (6 - 1) * (3 - 1)
    # One run fewer; and an arm that shares no seed with the others adds a group of its own.
    assert arm_model(without(whole, [CellIndex(0, 2, 5)]), SET).df == 9
    apart = [CellIndex(0, 0, 0)] + [CellIndex(at, seed, 0) for at in range(1, 6) for seed in (1, 2)]
    assert arm_model(without(whole, apart), SET).df == 2 + 5 - ((1 + 2 - 1) + (5 + 1 - 1))


def test_the_covariance_of_the_noise_is_that_of_a_two_way_fit():
    scores = made(1)
    values = np.stack(list(scores.values())) @ np.array([SET["flat_12"][name] for name in DOMAINS])
    residual = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    model = arm_model(table(scores), SET)
    at = model.summaries.index("flat_12")
    assert model.covariance[at, at] == pytest.approx((residual**2).sum() / 10)


def test_a_table_without_the_benchmarks_ranks_nothing():
    result = ranked(plain_table(np.full((4, 3, 2), 50.0)))
    assert (result.arms, len(result.left_out)) == (0, 4)
    assert "there are zero" in section(result)


@pytest.mark.parametrize("arms", [1, 2])
def test_fewer_than_three_arms_are_not_ranked(arms):
    result = ranked(made(0, arms=arms))
    assert result.agreements == ()
    assert "three arms" in section(result)


def test_one_run_an_arm_has_correlations_and_no_interval():
    result = ranked(made(0, runs=1))
    one = of_pair(result, PRIMARY, "flat_12")
    assert one.rho is not None
    assert (one.low, one.expected, result.repeats) == (None, None, 0)
    assert "no interval" in section(result)
    assert "comes first" not in section(result)


def test_two_runs_an_arm_have_an_interval():
    assert of_pair(ranked(made(0, runs=2)), PRIMARY, "flat_12").low is not None


def test_identical_arms_are_level_without_nan_and_nobody_is_best():
    result = ranked({f"arm{at}": np.full((3, 12), 50.0) for at in range(4)})
    assert all(one.rho is None for one in result.agreements)
    assert all(one.best is None for one in result.chances)
    assert "nan" not in section(result).lower()


def test_an_arm_without_a_complete_run_is_left_out_and_named():
    holed = without(table(made(0)), [CellIndex(2, seed, 0) for seed in range(3)])
    result = ranked(holed)
    assert result.left_out == ("arm2",)
    assert "arm2" in section(result)


def test_the_section_says_n_and_confidence_and_warns_of_both_tables():
    shown = section(ranked(made(0)))
    for needed in ("n = 3 runs per arm", "95 % interval", "by construction", "no verdict", "16.7 %", "normal noise"):
        assert needed in shown


def test_a_thousand_arms_take_seconds():
    scores = np.random.default_rng(0).normal(50, 3, (1000, 20, 40))
    big = plain_table(scores)
    six = {f"s{at}": {name: 1 / 20 for i, name in enumerate(big.benchmarks) if (i + at) % 2} for at in range(6)}
    started = time.process_time()
    result = ranked(big, summaries=six, primary="s0")
    assert result.repeats >= 1_000
    assert time.process_time() - started < 3
