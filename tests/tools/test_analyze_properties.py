"""What must not change a verdict, and what must change it in one known way: tables at random, through `judge`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.plan.analysis import Analysis
from tools.scores.table import ScoreTable
from tools.scores.verdict_sets import default_verdict_set
from tools.statistics.verdict import judge

NAMES = ("a", "b", "c", "d")
DOMAINS = {"a": "x", "b": "x", "c": "y", "d": "z"}
LIMITS = ("mean", "low", "high", "low_family", "high_family", "low_tost", "high_tost")

scores = st.integers(2, 6).flatmap(
    lambda seeds: st.tuples(
        st.lists(st.lists(st.integers(2000, 7000), min_size=4, max_size=4), min_size=seeds, max_size=seeds),
        st.lists(st.lists(st.integers(-900, 900), min_size=4, max_size=4), min_size=seeds, max_size=seeds),
    )
)


def analysis(sesoi=1.0, names=NAMES):
    chosen = default_verdict_set(names, DOMAINS)
    return Analysis(family_size=2, primary="flat", summaries=chosen.summaries, sesoi=sesoi)


def judged(arms, names=NAMES, seeds=None, sesoi=1.0, treatment="ours", control="base"):
    """arms: name -> (seeds, benchmarks)."""
    count = len(next(iter(arms.values())))
    seeds = list(range(count)) if seeds is None else seeds
    rows = [
        (arm, seed, name, value)
        for arm, block in arms.items()
        for seed, line in zip(seeds, block.tolist(), strict=True)
        for name, value in zip(names, line, strict=True)
    ]
    arm, seed, benchmark, score = (list(column) for column in zip(*rows, strict=True))
    table = ScoreTable.from_columns(arm=arm, seed=seed, benchmark=benchmark, score=score, percent_stated=True)
    return judge(table, control, [treatment], analysis(sesoi, tuple(sorted(names)))).comparisons[0]


def blocks(drawn):
    base = np.array(drawn[0]) / 100
    return {"base": base, "ours": base + np.array(drawn[1]) / 100}


def demand_same(found, wanted, factor=1.0):
    """Everything alike, points times the factor."""
    assert (found.verdict, found.direction, found.negligible) == (wanted.verdict, wanted.direction, wanted.negligible)
    assert found.exclusions_unadjusted == wanted.exclusions_unadjusted
    for name, one in wanted.summaries.items():
        other = found.summaries[name]
        assert (other.n, other.verdict, other.negligible) == (one.n, one.verdict, one.negligible)
        for key in LIMITS:
            value = getattr(one, key)
            assert getattr(other, key) == (None if value is None else pytest.approx(value * factor, abs=1e-6))
        assert other.p == (None if one.p is None else pytest.approx(one.p, abs=1e-9))


@given(scores, st.randoms())
@settings(max_examples=25)
def test_labels_and_order_of_seeds_change_nothing(drawn, random):
    arms = blocks(drawn)
    order = random.sample(range(len(drawn[0])), len(drawn[0]))
    moved = {name: block[order] for name, block in arms.items()}
    demand_same(judged(moved, seeds=[100 + 7 * at for at in range(len(order))]), judged(arms))


@given(scores, st.permutations(range(4)))
@settings(max_examples=25)
def test_the_order_of_benchmarks_changes_nothing(drawn, order):
    arms = blocks(drawn)
    moved = {name: block[:, order] for name, block in arms.items()}
    demand_same(judged(moved, names=tuple(NAMES[at] for at in order)), judged(arms))


@given(scores, st.lists(st.integers(-1000, 1000), min_size=4, max_size=4))
@settings(max_examples=25)
def test_what_is_added_to_a_benchmark_in_both_arms_changes_nothing(drawn, shift):
    arms = blocks(drawn)
    demand_same(judged({name: block + np.array(shift) / 100 for name, block in arms.items()}), judged(arms))


@given(scores, st.sampled_from([0.25, 0.5, 1.25]))
@settings(max_examples=25)
def test_scores_and_smallest_effect_scaled_together_scale_the_intervals(drawn, factor):
    arms = blocks(drawn)
    scaled = judged({name: block * factor for name, block in arms.items()}, sesoi=factor)
    demand_same(scaled, judged(arms), factor)


@given(scores)
@settings(max_examples=25)
def test_swapping_the_arms_mirrors_everything(drawn):
    arms = blocks(drawn)
    found, mirrored = judged(arms), judged(arms, treatment="base", control="ours")
    turned = {"better": "worse", "worse": "better"}
    assert mirrored.verdict == found.verdict
    assert mirrored.direction == turned.get(found.direction or "")
    for name, one in found.summaries.items():
        other = mirrored.summaries[name]
        assert other.verdict == turned.get(one.verdict, one.verdict)
        if one.low_family is not None:
            assert (other.low_family, other.high_family) == pytest.approx((-one.high_family, -one.low_family), abs=1e-9)
            assert other.mean == pytest.approx(-one.mean, abs=1e-9)


@given(scores)
@settings(max_examples=25)
def test_a_third_arm_that_nobody_compares_changes_nothing(drawn):
    arms = blocks(drawn)
    demand_same(judged(arms | {"other": arms["base"][::-1] + 1}), judged(arms))
