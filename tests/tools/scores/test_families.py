"""Which arm is compared with which: by name, by the table, by habit, and never by guessing."""

import numpy as np
import pytest

from policies.errors import InputError
from tools.scores.book import ScoreCell
from tools.scores.families import find_families
from tools.scores.table import ScoreTable


def cell(*arms, controls=None, **group):
    made = ScoreTable.from_columns(
        arm=np.repeat(arms, 2).tolist(), seed=[1, 2] * len(arms), benchmark=["b"] * 2 * len(arms),
        score=[50.0] * 2 * len(arms),
    )  # fmt: skip
    return ScoreCell(group, made, controls or {})


def pairs(*cells, treatments=(), control=None):
    found = find_families(cells, treatments, control)
    return [(dict(one.group), one.control, one.treatments) for one in found.families]


def test_mixers_go_with_static_and_the_rest_with_baseline_where_nothing_else_is_said():
    assert pairs(cell("baseline", "topk", "static", "tscl")) == [
        ({}, "baseline", ("topk",)), ({}, "static", ("tscl",)),
    ]  # fmt: skip


def test_the_tables_own_control_column_comes_before_the_policies_habit():
    controls = {"tscl": "baseline", "topk": "baseline"}
    assert pairs(cell("baseline", "tscl", "topk", "static", controls=controls)) == [
        ({}, "baseline", ("tscl", "topk", "static"))
    ]


def test_a_control_the_table_names_and_does_not_have_is_not_replaced():
    found = find_families([cell("baseline", "a", "b", controls={"a": "gone"})])
    assert [(one.control, one.treatments) for one in found.families] == [("baseline", ("b",))]
    assert any("no arm gone, the control of a" in note for note in found.notes)


@pytest.mark.parametrize("name", ["baseline", "Control", "uniform", "reference"])
def test_one_arm_called_a_baseline_is_the_control_of_unknown_arms(name):
    assert pairs(cell("ours", name, "theirs")) == [({}, name, ("ours", "theirs"))]


def test_two_arms_called_a_baseline_are_not_chosen_from():
    with pytest.raises(InputError, match="add --control ARM; the arms are baseline, control, ours"):
        find_families([cell("baseline", "control", "ours")])


def test_a_policy_whose_usual_control_is_absent_is_compared_with_the_baseline_and_told():
    found = find_families([cell("baseline", "tscl")])
    assert [(one.control, one.treatments) for one in found.families] == [("baseline", ("tscl",))]
    assert found.notes == ("tscl is compared with baseline: its default control static is not in the table",)


def test_a_control_that_serves_others_is_no_treatment_unless_it_is_named():
    assert pairs(cell("baseline", "topk", "static", "tscl"), treatments=["static"]) == [({}, "baseline", ("static",))]
    assert pairs(cell("baseline", "static")) == [({}, "baseline", ("static",))]


def test_a_named_control_is_compared_with_every_other_arm():
    assert pairs(cell("baseline", "topk", "static", "tscl"), control="static") == [
        ({}, "static", ("baseline", "topk", "tscl"))
    ]


def test_named_treatments_make_the_family_and_the_ones_not_named_are_told():
    both = cell("static", "tscl", "dump_ucb", "reward_gap")
    found = find_families([both], ["tscl", "dump_ucb"])
    (one,) = found.families
    assert (one.control, one.treatments, one.size) == ("static", ("tscl", "dump_ucb"), 2)
    assert "has one other treatment for static, not counted" in found.notes[0]
    assert find_families([both]).families[0].size == 3


def test_naming_the_control_too_hides_no_treatment_that_was_not_named():
    """Each arm judged in a run of its own, k = 1 each, would hide that eight were tried."""
    three = cell("ours", "theirs", "old")
    (note,) = find_families([three], ["ours"], "old").notes
    assert "has one other treatment for old, not counted in the family (k = 1)" in note
    assert find_families([three], ["ours", "theirs"], "old").notes == ()
    assert find_families([three], control="old").notes == ()
    elsewhere = cell("static", "tscl", "baseline", "topk")  # topk has a control of its own
    (note,) = find_families([elsewhere], ["tscl"], "static").notes
    assert "one other treatment for static" in note, "the baseline, which --control static alone would compare"


def test_each_cell_has_families_of_its_own():
    found = pairs(cell("static", "tscl", model="a"), cell("static", "tscl", "dump_ucb", model="b"))
    assert found == [({"model": "a"}, "static", ("tscl",)), ({"model": "b"}, "static", ("tscl", "dump_ucb"))]


def test_a_cell_without_the_named_control_is_told():
    found = find_families([cell("x", "y", model="a"), cell("z", "y", model="b")], control="x")
    assert len(found.families) == 1
    assert found.notes == ("the cell model = b has no arm x, so nothing is compared there",)


@pytest.mark.parametrize(
    ("arms", "options", "message"),
    [
        (("a", "b"), {}, "add --control ARM; the arms are a, b"),
        (("a",), {}, "one arm, 'a'"),
        (("static", "tscl"), {"treatments": ["tscll"]}, "'tscll' is not an arm of this table; did you mean tscl"),
        (
            ("static", "tscl"),
            {"control": "zzz"},
            "--control 'zzz' is not an arm of this table; the arms are static, tscl",
        ),
        (("a", "b"), {"treatments": ["a"], "control": "a"}, "named as treatment and as control"),
        (("a", "b"), {"treatments": ["a"]}, "add --control ARM"),
    ],
)
def test_what_cannot_be_paired_is_refused_with_the_arms_there_are(arms, options, message):
    with pytest.raises(InputError, match=message):
        find_families([cell(*arms)], **options)


def test_names_of_another_case_are_found():
    assert pairs(cell("Static", "TSCL"), treatments=["tscl"], control="static") == [({}, "Static", ("TSCL",))]
