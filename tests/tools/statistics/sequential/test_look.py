"""One look at a sequential study: when it stops, in which direction, and what it says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.errors import InputError
from tools.plan.sequential_design import SequentialDesign
from tools.statistics.sequential.boundaries import boundaries
from tools.statistics.sequential.look import look, pooled_look
from tools.statistics.sequential.model import Look

DESIGN = SequentialDesign(n_min=5, n_max=12)
ALPHA = 0.05


def _with_t(n: int, *t: float) -> np.ndarray:
    """(n, S) differences with these t statistics and SD 1."""
    base = np.random.default_rng(n).standard_normal((n, len(t)))
    base = (base - base.mean(axis=0)) / base.std(axis=0, ddof=1)
    return base + np.array(t) / n**0.5


def test_stops_only_when_all_summaries_cross_the_same_bound_on_the_same_side():
    bound = boundaries(DESIGN, ALPHA)[7]
    above, below = bound + 0.01, bound - 0.01
    better = look(_with_t(7, above, above, above), DESIGN, ALPHA, 0.1)
    assert (better.decision, better.direction) == ("efficacy", "better")
    worse = look(_with_t(7, -above, -above, -above), DESIGN, ALPHA, 0.1)
    assert (worse.decision, worse.direction) == ("efficacy", "worse")
    assert look(_with_t(7, above, above, below), DESIGN, ALPHA, 0.1).decision == "go_on"
    assert look(_with_t(7, above, above, -above), DESIGN, ALPHA, 0.1).decision != "efficacy"


def test_futility_needs_both_directions_to_be_out_of_reach():
    assert look(_with_t(8, 0.1), DESIGN, ALPHA, 0.1).decision == "futility"
    assert look(_with_t(8, 2.0), DESIGN, ALPHA, 0.1).decision == "go_on"
    assert look(_with_t(8, -2.0), DESIGN, ALPHA, 0.1).decision == "go_on"
    # One summary near zero rules out both directions for "every summary".
    assert look(_with_t(8, 0.1, 3.0), DESIGN, ALPHA, 0.1).decision == "futility"
    assert look(_with_t(8, 3.0, 3.0), DESIGN, ALPHA, 0.1).decision == "go_on"
    never = SequentialDesign(n_min=5, n_max=12, futility_chance=0.0)
    assert look(_with_t(8, 0.1), never, ALPHA, 0.1).decision == "go_on"


def test_equivalence_stops_when_every_repeated_interval_is_inside_the_sesoi():
    half = boundaries(DESIGN, ALPHA)[8] / 8**0.5
    values = _with_t(8, 0.0, 0.3)
    margin = half + 0.3 / 8**0.5
    assert look(values, DESIGN, ALPHA, margin + 0.01).decision == "equivalence"
    assert look(values, DESIGN, ALPHA, [margin + 0.01, margin - 0.01]).decision != "equivalence"
    tiny = look(1e-3 * _with_t(8, 50.0), DESIGN, ALPHA, 1.0)
    assert (tiny.decision, tiny.negligible) == ("efficacy", True)


def test_the_last_look_ends_the_study():
    last = look(_with_t(12, 0.5), DESIGN, ALPHA, 0.01)
    assert last.decision == "n_max"
    with pytest.raises(InputError, match="13 pairs are more than the 12"):
        look(_with_t(13, 0.5), DESIGN, ALPHA, 1.0)


def test_before_the_first_look_and_without_spread_it_goes_on_and_says_why():
    early = look(_with_t(4, 90.0), DESIGN, ALPHA, 1.0)
    assert early.decision == "go_on"
    assert early.critical is None
    assert "first look is at 5" in early.reason
    still = look(np.ones((6, 2)), DESIGN, ALPHA, 1.0)
    assert still.decision == "go_on"
    assert "do not vary" in still.reason
    assert look(np.ones((12, 2)), DESIGN, ALPHA, 1.0).decision == "n_max"
    assert look(np.empty((0, 3)), DESIGN, ALPHA, 1.0).decision == "go_on"


def test_a_skipped_look_has_no_interval_and_cannot_claim_anything():
    design = SequentialDesign(n_min=5, n_max=40, spending="obrien_fleming")
    skipped = look(_with_t(5, 1000.0), design, ALPHA, 1.0)
    assert skipped.decision == "go_on"
    assert skipped.critical is None
    assert skipped.summaries[0].low is None
    assert "no error is spent" in skipped.reason


def test_the_blinded_reason_is_the_same_for_opposite_data():
    for t in (0.1, 2.0, 9.0):
        values = _with_t(7, t, t + 0.5)
        one, other = (look(sign * values, DESIGN, ALPHA, 0.1) for sign in (1, -1))
        assert one.blinded_reason == other.blinded_reason
        for word in ("better", "worse", "bound", "effect", "+", "-"):
            assert word not in one.blinded_reason


def test_treatments_are_judged_at_alpha_over_k_and_stop_one_by_one():
    both = pooled_look({"a": _with_t(7, 9.0, 9.0), "b": _with_t(7, 2.5, 2.5)}, DESIGN, ALPHA, 0.1)
    assert both.looks["a"].critical == boundaries(DESIGN, ALPHA / 2)[7]
    assert both.going_on == ("b",)
    assert both.blinded_reason == "7 pairs; SD over all summaries 1.00 points: continues with 1 of 2 comparisons."
    later = pooled_look({"a": _with_t(7, 9.0, 9.0), "b": _with_t(8, 0.0, 0.0)}, DESIGN, ALPHA, 0.1)
    assert later.looks["a"] == both.looks["a"]
    assert later.going_on == ()
    alone = pooled_look({"a": _with_t(7, 9.0)}, DESIGN, ALPHA, 0.1, family_size=3)
    assert alone.looks["a"].critical == boundaries(DESIGN, ALPHA / 3)[7]
    with pytest.raises(InputError, match="at least one treatment"):
        pooled_look({}, DESIGN, ALPHA, 1.0)


@pytest.mark.parametrize(
    ("values", "sesoi", "message"),
    [
        (np.ones(6), 1.0, "shape"),
        (np.full((6, 1), np.nan), 1.0, "missing or infinite"),
        (np.ones((6, 2)), 0.0, "SESOI must be above 0"),
        (np.ones((6, 2)), [1.0, 2.0, 3.0], "SESOI"),
    ],
)
def test_unusable_input_is_refused(values, sesoi, message):
    with pytest.raises(InputError, match=message):
        look(values, DESIGN, ALPHA, sesoi)


@settings(deadline=None, max_examples=80)
@given(
    n=st.integers(0, 12),
    summaries=st.integers(1, 4),
    effect=st.floats(-5, 5),
    sd=st.sampled_from([0.0, 1e-12, 0.01, 1.0, 30.0]),
    sesoi=st.floats(0.01, 20),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_look_gives_one_answer_that_mirrors_and_reads_back(n, summaries, effect, sd, sesoi, seed):
    values = effect + sd * np.random.default_rng(seed).standard_normal((n, summaries))
    found = look(values, DESIGN, ALPHA, sesoi)
    mirrored = look(-values, DESIGN, ALPHA, sesoi)
    assert found.decision == mirrored.decision
    assert (found.direction is None) == (found.decision != "efficacy") == (mirrored.direction is None)
    if found.direction:
        assert {found.direction, mirrored.direction} == {"better", "worse"}
    assert found.stops or n < 12
    assert found.reason.endswith(".")
    assert ("Continues" in found.reason) == (not found.stops) == ("continues" in found.blinded_reason)
    assert Look.model_validate_json(found.model_dump_json()) == found
    for summary in found.summaries:
        if summary.low is not None:
            assert summary.low < summary.mean < summary.high
            if summary.low_strict is not None:
                assert summary.low_strict <= summary.low
                assert summary.high <= summary.high_strict
