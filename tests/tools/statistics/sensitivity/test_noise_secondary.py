"""Two noise layers against their formulas; interquartile mean and improvement against rliable's definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.tools.score_tables import analysis, row, rows
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.paired import paired_t, sd_interval
from tools.statistics.sensitivity.noise_layers import QuestionCount, noise_layers, question_counts
from tools.statistics.sensitivity.secondary import iqm, secondary

CHOSEN = SummaryMatrix.of(analysis().summaries)


def pairs_of(ours, theirs):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return PairedScores(tuple(range(len(ours))), ours, theirs)


def drawn(seed, n, benchmarks=12):
    rng = np.random.default_rng(seed)
    base = rng.uniform(5, 90, benchmarks)
    return pairs_of(*(base + rng.normal(0, 2, (n, benchmarks)) for _ in range(2)))


def counts(number, source="table"):
    return {name: QuestionCount(questions=number, source=source) for name in CHOSEN.benchmarks}


def test_sd_limits_are_those_of_chi_square():
    """SD 2 on 2 degrees of freedom: chi2(.025, 2) = -2 ln .975, chi2(.975, 2) = -2 ln .025."""
    found = sd_interval(np.array([2.0, 0.0]), 2)
    assert found.low[0] == pytest.approx(2 * (2 / (-2 * np.log(0.025))) ** 0.5)
    assert found.high[0] == pytest.approx(2 * (2 / (-2 * np.log(0.975))) ** 0.5)
    assert np.isnan([found.low[1], found.high[1]]).all()
    assert np.isnan(sd_interval(np.array([2.0]), 0).low).all()


def test_binomial_error_is_that_of_the_difference_of_two_runs():
    scores = pairs_of(np.full((2, 12), 50.0), np.full((2, 12), 20.0))
    found = noise_layers(scores, CHOSEN, counts(100)).layers
    one = 100 * (0.5 * 0.5 / 100 + 0.2 * 0.8 / 100) ** 0.5
    assert found["gsm8k"].binomial_se == pytest.approx(one)
    assert found["flat_12"].binomial_se == pytest.approx(one / 12**0.5)
    assert found["math_heavy_6"].binomial_se == pytest.approx(one / 6**0.5)


def test_binomial_error_bounds_the_spread_that_drawing_answers_makes():
    """Fixed questions of unequal chances, both arms alike: the simulated SD stays below the bound, near it if alike."""
    rng = np.random.default_rng(1)
    chances = {"alike": np.full(200, 0.6), "unequal": rng.beta(0.5, 0.5, 200)}
    for kind, chance in chances.items():
        answers = (rng.random((2, 4000, 1, 200)) < chance).mean(axis=3) * 100
        scores = pairs_of(*(np.repeat(arm, 12, axis=1) for arm in answers))
        found = noise_layers(scores, CHOSEN, counts(200)).layers["gsm8k"]
        assert found.share > 1 - 0.06
        assert (found.share < 1.06) == (kind == "alike")


def test_layers_hold_the_sd_of_the_paired_differences():
    scores = drawn(2, 6)
    found = noise_layers(scores, CHOSEN, counts(200))
    assert list(found.layers) == [*CHOSEN.summaries, *CHOSEN.benchmarks]
    differences = scores.treatment - scores.control
    for at, name in enumerate(CHOSEN.benchmarks):
        assert found.layers[name].sd == pytest.approx(differences[:, at].std(ddof=1))
        assert found.layers[name].low_sd < found.layers[name].sd < found.layers[name].high_sd
    assert found.layers["flat_12"].sd == pytest.approx(differences.mean(axis=1).std(ddof=1))


def test_one_unknown_count_leaves_the_summaries_that_need_it_without_a_bound():
    known = counts(200) | {"gsm8k": QuestionCount(questions=None, source="unknown")}
    found = noise_layers(drawn(3, 4), CHOSEN, known).layers
    assert (found["gsm8k"].binomial_se, found["gsm8k"].share) == (None, None)
    assert (found["flat_12"].binomial_se, found["flat_12"].source) == (None, "unknown")
    assert found["no_math"].binomial_se > 0
    assert found["no_math"].source == "table"


@pytest.mark.parametrize("n", [0, 1])
def test_one_pair_has_no_spread(n):
    found = noise_layers(drawn(4, n), CHOSEN, counts(200)).layers["flat_12"]
    assert (found.sd, found.low_sd, found.share) == (None, None, None)
    assert (found.binomial_se is None) == (n == 0)


def test_equal_differences_have_sd_zero_without_limits():
    found = noise_layers(pairs_of(np.full((4, 12), 51.0), np.full((4, 12), 50.0)), CHOSEN, counts(9)).layers["flat_12"]
    assert (found.sd, found.low_sd, found.high_sd, found.share) == (0.0, None, None, None)


def test_a_benchmark_called_like_a_summary_keeps_a_row_of_its_own():
    chosen = SummaryMatrix.of({"math": {"math": 1.0}})
    found = noise_layers(
        pairs_of([[1.0], [3.0]], [[2.0], [1.0]]), chosen, {"math": QuestionCount(questions=5, source="table")}
    )
    assert [(name, layer.kind) for name, layer in found.layers.items()] == [
        ("math", "summary"),
        ("benchmark math", "benchmark"),
    ]


def test_counts_come_from_the_table_else_from_its_suite_else_from_nowhere():
    made = rows({"static": [50.0, 51], "a": [52.0, 50]})
    assert question_counts(ScoreTable.from_rows(made), ("a", "static"), ("gsm8k",))["gsm8k"].questions == 120
    bare = [one.model_copy(update={"questions": None}) for one in made]
    assert question_counts(ScoreTable.from_rows(bare), ("a", "static"), ("gsm8k",)) == {
        "gsm8k": QuestionCount(questions=200, source="catalogue")
    }
    unknown = QuestionCount(questions=None, source="unknown")
    foreign = [one.model_copy(update={"suite": "mine"}) for one in bare]
    assert question_counts(ScoreTable.from_rows(foreign), ("a", "static"), ("gsm8k", "absent")) == {
        "gsm8k": unknown,
        "absent": unknown,
    }
    unequal = ScoreTable.from_rows([row("a", 1, "gsm8k", 50.0), row("static", 1, "gsm8k", 50.0, questions=60)])
    assert question_counts(unequal, ("a", "static"), ("gsm8k",))["gsm8k"] == unknown
    half = ScoreTable.from_rows([row("a", 1, "gsm8k", 50.0), row("static", 1, "gsm8k", 50.0, questions=None)])
    assert question_counts(half, ("a", "static"), ("gsm8k",))["gsm8k"] == unknown


def mann_whitney_share(x, y):
    return stats.mannwhitneyu(x, y).statistic / (len(x) * len(y))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 14))
def test_point_values_are_rliables(seed, n, benchmarks):
    """aggregate_iqm: scipy's trim_mean at 0.25 of all scores; probability of improvement: mean Mann-Whitney share."""
    scores = drawn(seed, n, benchmarks)
    scores = pairs_of(scores.treatment.round(0), scores.control.round(0))
    found = secondary(scores, 0.95)
    assert found.iqm_treatment == pytest.approx(stats.trim_mean(scores.treatment, 0.25, axis=None), abs=1e-9)
    assert found.iqm_control == pytest.approx(stats.trim_mean(scores.control, 0.25, axis=None), abs=1e-9)
    columns = zip(scores.treatment.T, scores.control.T, strict=True)
    assert found.improvement == pytest.approx(np.mean([mann_whitney_share(x, y) for x, y in columns]), abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 8))
def test_swapping_arms_mirrors_shifting_moves_nothing_and_seeds_have_no_order(seed, n):
    scores = drawn(seed, n)
    found = secondary(scores, 0.95)
    swapped = secondary(pairs_of(scores.control, scores.treatment), 0.95)
    assert swapped.iqm_difference == pytest.approx(-found.iqm_difference, abs=1e-9)
    assert (swapped.low_iqm, swapped.high_iqm) == pytest.approx((-found.high_iqm, -found.low_iqm), abs=1e-9)
    assert swapped.improvement == pytest.approx(1 - found.improvement, abs=1e-9)
    shifted = secondary(pairs_of(scores.treatment + 4, scores.control + 4), 0.95)
    assert (shifted.low_iqm, shifted.high_iqm) == pytest.approx((found.low_iqm, found.high_iqm), abs=1e-9)
    scaled = secondary(pairs_of(scores.treatment / 2, scores.control / 2), 0.95)
    assert scaled.iqm_difference == pytest.approx(found.iqm_difference / 2, abs=1e-9)
    assert (scaled.low_improvement, scaled.improvement) == (found.low_improvement, found.improvement)
    order = np.random.default_rng(seed).permutation(n)
    turned = secondary(pairs_of(scores.treatment[order], scores.control[order]), 0.95)
    assert (turned.low_iqm, turned.high_iqm) == pytest.approx((found.low_iqm, found.high_iqm), abs=1e-9)


def test_without_trimming_the_interval_is_the_paired_t_interval():
    """Up to three scores nothing is cut: the interquartile mean is the mean, and its jackknife the paired t."""
    scores = pairs_of([[1.0], [4.0], [2.5]], [[0.5], [1.0], [2.0]])
    found, expected = secondary(scores, 0.9), paired_t([0.5, 3.0, 0.5], 0.9)
    # Leaving one of three out leaves two, of which none is cut either.
    assert (found.low_iqm, found.high_iqm) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_leaving_a_seed_out_is_what_the_standard_error_comes_from():
    scores = drawn(8, 5)
    found = secondary(scores, 0.95)
    values = []
    for seed in range(5):
        left = pairs_of(np.delete(scores.treatment, seed, 0), np.delete(scores.control, seed, 0))
        values.append((secondary(left, 0.95).iqm_difference, secondary(left, 0.95).improvement))
    error = np.std(values, axis=0) * 2
    t = stats.t.ppf(0.975, 4)
    assert found.high_iqm - found.iqm_difference == pytest.approx(t * error[0], abs=1e-9)
    assert found.high_improvement == pytest.approx(min(1, found.improvement + t * error[1]), abs=1e-9)


def test_a_clear_case_has_no_improvement_interval_rather_than_an_empty_one():
    found = secondary(pairs_of(np.full((4, 3), 60.0) + np.arange(4)[:, None], np.full((4, 3), 40.0)), 0.95)
    assert (found.improvement, found.low_improvement, found.high_improvement) == (1.0, None, None)
    assert found.low_iqm < found.iqm_difference < found.high_iqm


@pytest.mark.parametrize("n", [0, 1])
def test_one_pair_gives_points_and_no_intervals(n):
    found = secondary(drawn(9, n), 0.95)
    assert (found.low_iqm, found.high_improvement) == (None, None)
    assert (found.iqm_treatment is None) == (n == 0)


def test_interval_of_the_interquartile_mean_covers():
    """Three seeds, 12 benchmarks of different levels; 1,500 studies, 3.5 standard errors."""
    rng = np.random.default_rng(11)
    levels, hits, wins = rng.uniform(10, 90, 12), 0, 0
    true = 1.0  # a shift of every score moves the interquartile mean by as much
    for _ in range(1500):
        common = levels + 0.6 * rng.normal(size=(3, 12))
        run = [common + 0.7 * rng.normal(size=(3, 1)) + rng.normal(size=(3, 12)) for _ in range(2)]
        found = secondary(pairs_of(run[0] + true, run[1]), 0.95)
        hits += found.low_iqm < true < found.high_iqm
        wins += (
            found.low_improvement is None or found.low_improvement < 0.70 < found.high_improvement
        )  # measured on 4,000 seeds
    error = 3.5 * (0.05 * 0.95 / 1500) ** 0.5
    assert hits / 1500 == pytest.approx(0.95, abs=error + 0.005)
    assert wins / 1500 > 0.93 - error


def test_iqm_of_rows_cuts_a_quarter_from_each_end():
    assert iqm(np.array([[100.0, 1, 2, 0, 3, 2, 1, -50]])) == pytest.approx([1.5])
