"""Collapsed cells: each rule by example, what the rules must not depend on, and results with and without."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.public_runs import NEEDED, public_tables
from tests.tools.score_tables import DOMAINS, analysis, table
from tools.report.sensitivity.collapsed import effect_section, section
from tools.scores.book import ScoreCell
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.sensitivity.collapse_effect import collapse_effect
from tools.statistics.sensitivity.collapsed import CellIndex, Guessing, collapsed_cells, guessing, without
from tools.statistics.sensitivity.run_spread import RunSpread, arm_medians, run_spread, spreads_of
from tools.statistics.verdict import judge

NAMES = tuple(DOMAINS)
PHYSICS = NAMES.index("mmlu_pro_physics")


def normal(seed=0, arms=4, runs=3, sd=1.0):
    """Arms around 50, few enough questions off that nothing is flagged by itself."""
    rng = np.random.default_rng(seed)
    return {f"arm{at}": 50 + sd * rng.standard_normal((runs, len(NAMES))) for at in range(arms)}


def known(mad=1.0, runs=50):
    return RunSpread(mad=dict.fromkeys(NAMES, mad), runs=dict.fromkeys(NAMES, runs))


def places(found):
    return [tuple(one.cell) for one in found.cells]


def test_a_run_far_below_its_arm_is_flagged_and_its_neighbours_are_not():
    scores = normal()
    scores["arm2"][1, PHYSICS] = 20.0
    found = collapsed_cells(table(scores), known())
    assert places(found) == [(2, 1, PHYSICS)]
    assert found.cells[0].reasons == ("far_from_arm",)
    assert found.cells[0].score == 20.0


def test_five_scales_and_ten_points_are_both_needed():
    # 120 questions at 97 %: a binomial standard error of 1.56 points, five are 7.8.
    scores = {"a": np.full((3, 12), 97.0), "b": np.full((3, 12), 97.0)}
    scores["a"][0, 0] = 97.0 - 9.5
    scores["a"][1, 1] = 97.0 - 12.0
    made = table(scores)
    assert places(collapsed_cells(made, known(mad=0.1))) == [(0, 1, 1)], "9.5 points are not 10"
    assert places(collapsed_cells(made, known(mad=3.0))) == [], "12 points are not five scales of 3"


def test_the_scale_is_at_least_the_binomial_error_of_the_benchmark():
    scores = {"a": np.full((3, 12), 50.0), "b": np.full((3, 12), 50.0)}
    scores["a"][0, 0] = 30.0
    made = table(scores)
    # 120 questions at 50 %: 100 * sqrt(.25 / 120) = 4.564 points; 20 points are 4.38 of them.
    assert places(collapsed_cells(made, known(mad=0.1))) == []
    z = (29.0 - 52.0) / (100 * (0.52 * 0.48 / 120) ** 0.5)
    scores["a"][:, 0] = (29.0, 52.0, 52.0)
    found = collapsed_cells(table(scores), known(mad=0.1))
    assert found.cells[0].z == pytest.approx(z)


def test_where_most_runs_of_an_arm_collapse_these_are_flagged_and_not_the_good_one():
    scores = normal()
    scores["arm1"][:2, PHYSICS] = (15.0, 18.0)
    found = collapsed_cells(table(scores), known())
    assert places(found) == [(1, 0, PHYSICS), (1, 1, PHYSICS)]
    assert {one.against for one in found.cells} == {"cell"}


def test_an_arm_that_is_worse_in_all_its_runs_is_an_effect_and_no_collapse():
    scores = normal()
    scores["arm1"][:, PHYSICS] -= 30
    assert places(collapsed_cells(table(scores), known())) == []


@pytest.mark.parametrize("runs", [0, 11])
def test_under_twelve_runs_the_distance_does_not_count_and_the_report_says_so(runs):
    scores = normal()
    scores["arm2"][1, PHYSICS] = 1.0
    made = table(scores)
    found = collapsed_cells(made, known(runs=runs))
    assert found.cells == ()
    assert "at least 12 runs" in section(found, made)
    assert f"{runs} are known" in section(found, made)


def test_below_chance_counts_only_beyond_what_the_questions_explain():
    scores = {"a": np.full((3, 12), 50.0)}
    scores["a"][:, 0] = (24.0, 16.5, 15.0)
    # 120 questions at 25 %: SE 3.953; the one-sided 99 % limit is 25 - 2.326 * 3.953 = 15.81.
    found = collapsed_cells(table(scores), RunSpread(mad={}, runs={}), chance={NAMES[0]: Guessing(25.0)})
    assert places(found) == [(0, 2, 0)]
    assert found.cells[0].reasons == ("below_chance",)


def test_below_chance_is_not_applied_where_nobody_knows_how_many_questions_there_were():
    row = {"suite": "mine", "seed": 1, "benchmark": "quiz", "score": 1.0}
    made = ScoreTable.from_rows([ScoreRow(arm="a", **row)])
    empty = RunSpread(mad={}, runs={})
    assert collapsed_cells(made, empty, chance={"quiz": Guessing(25.0)}).cells == ()
    assert places(collapsed_cells(made, empty, chance={"quiz": Guessing(25.0, 100)})) == [(0, 0, 0)]


def test_guessing_is_known_for_published_benchmarks_and_not_for_the_built_in_suite_of_the_same_names():
    rows = [ScoreRow(arm="a", suite="mine", seed=1, benchmark="gpqa_diamond", score=30.0)]
    assert guessing(ScoreTable.from_rows(rows))["gpqa_diamond"].score == 25.0
    assert guessing(table(normal())) == {}


def test_unreadable_answers_flag_a_cell_above_a_tenth():
    made = table(normal())
    shares = {CellIndex(0, 0, 3): 0.1, CellIndex(0, 1, 3): 0.11}
    found = collapsed_cells(made, known(), unparsed=shares)
    assert places(found) == [(0, 1, 3)]
    assert "answers not readable (11 %)" in section(found, made)


def test_among_normal_scores_about_one_cell_in_1300_is_flagged():
    # Five median absolute deviations are 3.37 SD of a normal: P = 7.5e-4.
    rng = np.random.default_rng(1)
    made = table({f"arm{at}": 50 + 5 * rng.standard_normal((20, 12)) for at in range(300)})
    made = without(made, [])
    made.questions[:] = -1
    found = collapsed_cells(made, run_spread([made]))
    assert len(found.cells) / made.scores.size == pytest.approx(1 / 1300, rel=0.35)


@given(st.integers(0, 500), st.permutations(range(4)))
@settings(max_examples=15)
def test_other_names_and_another_order_of_the_arms_flag_the_same_runs(seed, order):
    scores = normal(seed)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        scores[f"arm{rng.integers(4)}"][rng.integers(3), rng.integers(12)] -= 35
    names = list(scores)
    hidden = {f"x{at}": scores[names[at]] for at in order}
    ours = {(names[arm], *rest) for arm, *rest in places(collapsed_cells(table(scores), known()))}
    theirs = {(names[order[arm]], *rest) for arm, *rest in places(collapsed_cells(table(hidden), known()))}
    assert ours == theirs


@pytest.mark.parametrize("runs", [2, 3, 4, 5, 6, 10, 20])
def test_the_spread_of_arms_of_any_size_is_that_of_a_large_sample(runs):
    rng = np.random.default_rng(runs)
    scores = {f"arm{at}": 50 + 3 * rng.standard_normal((runs, 12)) for at in range(1500 // runs)}
    found = run_spread([table(scores)])
    # The median absolute deviation of a normal is 0.6745 SD.
    assert np.mean(list(found.mad.values())) == pytest.approx(3 * 0.6745, rel=0.04)
    assert set(found.runs.values()) == {runs * (1500 // runs)}


def test_a_few_collapses_hardly_move_the_spread():
    scores = normal(arms=20)
    calm = run_spread([table(scores)]).mad["mmlu_pro_physics"]
    for at in range(4):
        scores[f"arm{at}"][0, PHYSICS] = 5.0
    assert run_spread([table(scores)]).mad["mmlu_pro_physics"] < 1.5 * calm


def test_tables_of_one_recipe_are_pooled_and_single_runs_tell_nothing():
    one, two = table(normal(0)), table(normal(1))
    assert set(run_spread([one, two]).runs.values()) == {24}
    assert run_spread([table({"a": [50.0], "b": [51.0]})]).runs == {}


def test_medians_leave_holes_out():
    scores = np.array([[[1.0, np.nan], [5.0, 2.0], [np.nan, np.nan], [9.0, 4.0]]])
    np.testing.assert_array_equal(arm_medians(scores), [[5.0, 3.0]])
    assert np.isnan(arm_medians(np.full((1, 2, 1), np.nan))).all()


def test_without_makes_holes_of_the_cells_and_leaves_the_table_as_it_was():
    made = table(normal())
    holed = without(made, [CellIndex(1, 2, 3)])
    assert np.isnan(holed.scores[1, 2, 3])
    assert holed.harness[1, 2, 3] == -1
    assert np.isnan(holed.scores).sum() == 1
    assert not np.isnan(made.scores).any()


def test_results_with_and_without_are_those_of_judging_either_table():
    scores = {"control": normal(3, 1, 5)["arm0"], "treatment": normal(4, 1, 5)["arm0"] + 3}
    scores["treatment"][2, PHYSICS] = 0.0
    made = table(scores)
    cell = CellIndex(1, 2, PHYSICS)
    effect = collapse_effect(made, [cell], "treatment", "control", analysis())
    assert (effect.kept.n, effect.left.n) == (5, 4)
    for side, of in ((effect.kept, made), (effect.left, without(made, [cell]))):
        comparison = judge(of, "control", ["treatment"], analysis()).comparisons[0]
        for name, one in comparison.summaries.items():
            assert side.summaries[name].low_family == pytest.approx(one.low_family)
            assert side.summaries[name].mean == pytest.approx(one.mean)
    assert effect.left.verdict == "supported"
    comparison = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    shown = effect_section(effect, comparison)
    assert "n = 5" in shown
    assert "n = 4" in shown
    assert "without them it would read a claim that the full data do not support" in shown
    assert "better than" not in shown


def test_cells_of_other_arms_change_nothing_and_the_report_says_so():
    made = table({"control": [50.0, 51.0, 49.0], "treatment": [51.0, 51.5, 50.5], "other": [1.0, 50.0, 50.0]})
    effect = collapse_effect(made, [CellIndex(2, 0, 0)], "treatment", "control", analysis())
    assert effect.kept == effect.left
    comparison = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    assert "excluding them changes nothing" in effect_section(effect, comparison)


def test_when_too_few_pairs_are_left_the_words_say_that_nothing_can_be_judged():
    made = table({"control": [50.0, 51.0], "treatment": [51.0, 52.5]})
    effect = collapse_effect(made, [CellIndex(0, 0, 0)], "treatment", "control", analysis())
    assert (effect.left.n, effect.left.verdict) == (1, "not_estimable")
    comparison = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    assert "n = 1 without" in effect_section(effect, comparison)


@NEEDED
def test_ten_of_the_eleven_collapsed_public_runs_are_flagged_and_the_eleventh_is_under_ten_points():
    tables = public_tables()
    spread = run_spread(list(tables.values()))
    assert set(spread.runs.values()) == {72}
    collapsed, flagged = set(), set()
    for cell, made in tables.items():
        science = made.scores[:, :, [NAMES.index("mmlu_pro_chemistry"), PHYSICS]]
        collapsed |= {(cell, *at) for at in np.argwhere((science < (50, 52)).any(axis=2)).tolist()}
        found = collapsed_cells(made, spread, chance=guessing(made))
        flagged |= {(cell, one.cell.arm, one.cell.seed) for one in found.cells}
    assert len(collapsed) == 11
    missed = collapsed - flagged
    (cell, arm, seed) = next(iter(missed))
    assert len(missed) == 1
    assert cell == ("constrained", "noise20")
    made = tables[cell]
    assert (made.arms[arm], made.seeds[seed]) == ("baseline", 3)
    lows = made.scores[arm, seed] - arm_medians(made.scores)[arm]
    assert lows.min() > -10


def cell(name: str, runs: int, low: float = 0.0, **group: str) -> ScoreCell:
    """Two arms of `runs` runs each around 50; the first arm's last run lies `low` points lower."""
    of_arm = [50.0 + 0.5 * (-1) ** run for run in range(runs)]
    scores = {name: [*of_arm[:-1], of_arm[-1] - low], f"other of {name}": of_arm}
    return ScoreCell(dict(group), table(scores), {}, {})


def test_a_recipe_of_few_runs_borrows_the_spread_of_its_model():
    """The public table's six long runs of a model with 66 others: a run 27 points low went unseen."""
    few = cell("a", 3, low=30.0, model="m", regime="long")
    many = cell("b", 6, model="m", regime="standard")
    other = cell("c", 6, model="another", regime="long")
    alone, lent = spreads_of([few, other]), spreads_of([few, many, other])
    assert collapsed_cells(few.table, alone[id(few.table)]).cells == ()
    found = collapsed_cells(few.table, lent[id(few.table)])
    assert {one.cell.seed for one in found.cells} == {2}
    assert (found.runs, found.of_model) == (18, found.far_rule)
    assert "18 runs of this model under any recipe, since this recipe alone has fewer than 12" in section(
        found, few.table
    )
    assert collapsed_cells(many.table, lent[id(many.table)]).of_model == (), "it has enough of its own"


def test_batches_of_one_recipe_are_pooled_and_an_unnamed_model_lends_nothing():
    first, second = cell("a", 3, campaign="x", regime="r"), cell("b", 3, campaign="y", regime="r")
    far = cell("c", 9, campaign="z", regime="other")
    spreads = spreads_of([first, second, far])
    assert set(spreads[id(first.table)].runs.values()) == {12}
    assert spreads[id(first.table)].of_model == ()
