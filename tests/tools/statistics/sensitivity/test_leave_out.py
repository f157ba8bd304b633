"""Leaving one seed, benchmark or domain out gives what judging the smaller table gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.score_tables import DOMAINS, analysis, rows, table
from tools.report.sensitivity.leave_out import section
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.sensitivity.leave_out import leave_out
from tools.statistics.verdict import judge

TWO = {"a": "math", "b": "logic"}
CLEAR = (3.0, 3.1, 2.9, 3.05, 2.95)


def summaries(**weights):
    return analysis(summaries=weights, primary=next(iter(weights)))


def pairs(differences, seeds=None):
    differences = np.asarray(differences, dtype=float)
    control = np.full(differences.shape, 50.0)
    return PairedScores(tuple(seeds or range(1, len(differences) + 1)), control + differences, control)


def of_kind(result, kind):
    return next(one for one in result.kinds if one.kind == kind)


def arms(seed, n, effect):
    rng = np.random.default_rng(seed)
    control = rng.uniform(30, 60, (n, len(DOMAINS)))
    return control, control + effect + rng.normal(0, 1.0, (n, len(DOMAINS)))


def verdict_of(made, chosen):
    found = judge(made, "control", ["treatment"], chosen).comparisons[0]
    return found.verdict, found.direction


@given(st.integers(0, 1_000), st.integers(3, 6), st.sampled_from([0.0, 1.0, 2.0]))
@settings(max_examples=15)
def test_each_seed_left_out_is_judged_as_a_table_without_it(seed, n, effect):
    control, treatment = arms(seed, n, effect)
    result = leave_out(
        table({"control": control, "treatment": treatment}).paired("treatment", "control", list(DOMAINS)),
        DOMAINS,
        analysis(),
    )
    base = verdict_of(table({"control": control, "treatment": treatment}), analysis())
    assert (result.verdict, result.direction) == base
    expected = {}
    for left in range(n):
        keep = [row for row in range(n) if row != left]
        found = verdict_of(table({"control": control[keep], "treatment": treatment[keep]}), analysis())
        if found != base:
            expected[str(left + 1)] = found
    assert {one.name: (one.verdict, one.direction) for one in of_kind(result, "seed").changed} == expected


@given(st.integers(0, 1_000), st.sampled_from([0.0, 1.0, 2.0]))
@settings(max_examples=10)
def test_each_benchmark_left_out_is_judged_as_a_table_without_it(seed, effect):
    control, treatment = arms(seed, 4, effect)
    made = rows({"control": control, "treatment": treatment})
    chosen = analysis()
    result = leave_out(ScoreTable.from_rows(made).paired("treatment", "control", list(DOMAINS)), DOMAINS, chosen)
    expected = {}
    for left in DOMAINS:
        rest = {
            name: {key: weight / (1 - weights.get(left, 0.0)) for key, weight in weights.items() if key != left}
            for name, weights in chosen.summaries.items()
        }
        smaller = ScoreTable.from_rows(row for row in made if row.benchmark != left)
        found = verdict_of(smaller, analysis(summaries=rest))
        if found != (result.verdict, result.direction):
            expected[left] = found
    assert {one.name: (one.verdict, one.direction) for one in of_kind(result, "benchmark").changed} == expected


def test_a_verdict_that_hangs_on_one_benchmark_names_it():
    differences = np.column_stack([CLEAR, np.array([0.2, -0.4, 0.3, -0.1, 0.1])])
    chosen = summaries(all_of_a={"a": 1.0}, both={"a": 0.5, "b": 0.5})
    result = leave_out(pairs(differences), TWO, chosen)
    assert (result.verdict, result.direction) == ("supported", "better")
    without_a = of_kind(result, "benchmark").changed
    assert [one.name for one in without_a] == ["a"]
    assert without_a[0].emptied == ("all_of_a",), "the summary that weighs a alone is gone"


def test_a_summary_of_which_nothing_is_left_is_not_judged_and_one_without_the_benchmark_stays():
    differences = np.column_stack([CLEAR, CLEAR[::-1]])
    chosen = summaries(a_only={"a": 1.0}, b_only={"b": 1.0})
    result = leave_out(pairs(differences), TWO, chosen)
    assert of_kind(result, "benchmark").changed == (), "either summary alone still says the same"
    assert of_kind(result, "benchmark").emptied == ("a_only", "b_only")
    assert of_kind(result, "domain").emptied == ("a_only", "b_only")
    assert of_kind(result, "benchmark").lowest == pytest.approx(3.0), "only b can be left out of the primary"
    assert of_kind(result, "benchmark").lowest_without == "b"


def test_the_range_of_the_primary_difference_is_that_of_the_remaining_means():
    differences = [[1.0, 1.0], [2.0, 2.0], [6.0, 6.0]]
    result = leave_out(pairs(differences, seeds=(3, 5, 9)), TWO, summaries(both={"a": 0.5, "b": 0.5}))
    seeds = of_kind(result, "seed")
    assert (seeds.lowest, seeds.lowest_without) == (1.5, "9")
    assert (seeds.highest, seeds.highest_without) == (4.0, "3")
    assert (seeds.removals, seeds.n) == (3, 2)


@given(st.integers(0, 1_000))
@settings(max_examples=20)
def test_swapping_the_arms_keeps_what_the_verdict_hangs_on(seed):
    control, treatment = arms(seed, 4, 1.0)
    ours = leave_out(PairedScores((1, 2, 3, 4), treatment, control), DOMAINS, analysis())
    theirs = leave_out(PairedScores((1, 2, 3, 4), control, treatment), DOMAINS, analysis())
    for one, other in zip(ours.kinds, theirs.kinds, strict=True):
        assert [change.name for change in one.changed] == [change.name for change in other.changed]
        assert one.lowest == pytest.approx(-other.highest)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_pairs_are_handled_in_words(n):
    control, treatment = arms(0, 2, 1.0)
    result = leave_out(PairedScores(tuple(range(n)), treatment[:n], control[:n]), DOMAINS, analysis())
    seeds = of_kind(result, "seed")
    assert (seeds.removals, seeds.changed) == (0, ())
    assert "fewer than two seed pairs" in seeds.skipped
    made = judge(table({"control": control, "treatment": treatment}), "control", ["treatment"], analysis())
    assert f"n = {n}" in section(result, made.comparisons[0])


def test_identical_arms_are_not_estimable_with_or_without_anything():
    control, _ = arms(0, 4, 0.0)
    result = leave_out(PairedScores((1, 2, 3, 4), control, control), DOMAINS, analysis())
    assert result.verdict == "not_estimable"
    assert all(one.changed == () for one in result.kinds)


def test_without_domains_no_domain_is_left_out():
    result = leave_out(pairs([CLEAR, CLEAR]), {}, summaries(all=dict.fromkeys("abcde", 0.2)))
    assert "no domains" in of_kind(result, "domain").skipped


def test_the_section_says_what_the_verdict_hangs_on_or_that_it_hangs_on_nothing():
    steady = np.repeat(np.array([[3.0], [3.3], [2.9], [3.2]]), 12, axis=1) + np.arange(12) / 100
    control = np.full((4, 12), 50.0)
    made = table({"control": control, "treatment": control + steady})
    comparison = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    found = leave_out(made.paired("treatment", "control", list(DOMAINS)), DOMAINS, analysis())
    assert "does not depend on any single seed, benchmark or domain" in section(found, comparison)

    steady[3] = -20.0
    steady[3, 0] = -19.0
    made = table({"control": control, "treatment": control + steady})
    comparison = judge(made, "control", ["treatment"], analysis()).comparisons[0]
    found = leave_out(made.paired("treatment", "control", list(DOMAINS)), DOMAINS, analysis())
    shown = section(found, comparison)
    assert [one.name for one in of_kind(found, "seed").changed] == ["4"]
    assert "Without seed 4 the reading would be a claim that the full data do not support" in shown
    assert "better than" not in shown
    assert "n = 4 seed pairs" in shown


def test_a_sequential_plan_is_judged_at_the_bound_of_its_look_with_one_seed_fewer_too():
    differences = np.column_stack([CLEAR, CLEAR[::-1]])
    chosen = summaries(both={"a": 0.5, "b": 0.5})
    asked = []

    def repeated(n, confidence):
        asked.append(n)
        return {5: 8.0}.get(n, float("inf"))

    result = leave_out(pairs(differences), TWO, chosen, repeated)
    assert (result.verdict, result.direction) == ("supported", "better")
    assert of_kind(result, "seed").changed == (), "no look was made at four pairs, and the bound of five serves"
    assert set(asked) == {5}
    assert leave_out(pairs(differences), TWO, chosen, lambda n, confidence: 1e6).verdict != "supported"
