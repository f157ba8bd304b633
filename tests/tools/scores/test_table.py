import numpy as np
import pytest

from policies.errors import InputError
from tests.tools.score_tables import DOMAINS, row, rows, table
from tools.scores import integrity
from tools.scores.table import ScoreTable


def test_pairs_hold_only_complete_seeds_in_the_order_of_benchmarks_asked_for():
    some = [row("a", seed, name, seed * 10 + n) for seed in (3, 1) for n, name in enumerate(("gsm8k", "kk_hard"))]
    some += [r.model_copy(update={"arm": "b", "score": r.score + 40}) for r in some]
    some += [row("a", 2, "gsm8k", 50), row("b", 2, "gsm8k", 50), row("b", 2, "kk_hard", 50)]
    pairs = ScoreTable.from_rows(some).paired("b", "a", ("kk_hard", "gsm8k"))
    assert pairs.seeds == (1, 3)
    assert pairs.control.tolist() == [[11, 10], [31, 30]]
    assert pairs.treatment.tolist() == [[51, 50], [71, 70]]


def test_pairs_are_made_on_the_overlap_of_seeds():
    full = rows({"a": [50, 51, 52], "b": [40, 40, 40]})
    part = [r for r in full if not (r.arm == "b" and r.seed == 2)]
    pairs = ScoreTable.from_rows(part).paired("a", "b", tuple(DOMAINS))
    assert pairs.seeds == (1, 3)
    assert (pairs.treatment - pairs.control)[:, 0].tolist() == [10, 12]


def test_a_zero_is_a_score_and_an_unknown_arm_or_benchmark_has_none():
    made = table({"a": [0, 0]})
    assert made.of_arm("a", ("gsm8k",)).tolist() == [[0], [0]]
    assert np.isnan(made.of_arm("nobody", ("gsm8k",))).all()
    assert made.paired("a", "a", ("gsm8k", "unheard_of")).seeds == ()


def test_row_order_does_not_matter():
    made = rows({"a": [50, 51, 52], "b": [40, 41, 39]})
    one, other = ScoreTable.from_rows(made), ScoreTable.from_rows(made[::-1])
    np.testing.assert_array_equal(one.of_arm("a", ("gsm8k",)), other.of_arm("a", ("gsm8k",)))


def test_no_rows_is_one_clear_line():
    with pytest.raises(InputError, match="empty"):
        ScoreTable.from_rows([])


def test_a_sound_table_has_neither_faults_nor_notes():
    sound = table({"a": [50, 51, 52], "b": [40, 41, 42.5]})
    assert integrity.faults(sound) == ()
    assert integrity.notes(sound) == ()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"suite": "dataflex-12"}, "several suites in one table: tiny-12, dataflex-12"),
        ({"harness": "h2"}, "different harnesses on one benchmark: gsm8k (h1, h2)"),
        ({"harness": ""}, "different harnesses on one benchmark: gsm8k (h1, not recorded)"),
        ({"questions": 60}, "unequal question counts on one benchmark: gsm8k (60, 120)"),
        ({"score": 100.5}, "scores outside 0..100: b seed 2 gsm8k = 100.5"),
        ({"score": -1}, "scores outside 0..100: b seed 2 gsm8k = -1"),
        ({"domain": "poetry"}, "benchmarks with more than one domain: gsm8k"),
    ],
)
def test_each_fault_is_named_with_its_place(change, line):
    made = rows({"a": [50, 51], "b": [40, 41]})
    at = next(i for i, r in enumerate(made) if (r.arm, r.seed, r.benchmark) == ("b", 2, "gsm8k"))
    made[at] = made[at].model_copy(update=change)
    assert integrity.faults(ScoreTable.from_rows(made)) == (line,)


def test_a_duplicate_is_a_fault_even_when_the_values_agree():
    made = rows({"a": [50, 51], "b": [40, 41]})
    found = integrity.faults(ScoreTable.from_rows([*made, made[0]]))
    assert found == ("duplicate scores: a seed 1 math500",)


def test_fractions_beside_percent_are_a_fault():
    assert integrity.faults(table({"a": [0.5, 0.6], "b": [40, 41]})) == (
        "scores look like fractions in a and like percent in b",
    )


def test_an_arm_that_collapsed_to_one_right_answer_is_low_and_no_fraction():
    """One of 120 questions is 0.83 per cent; with nothing recorded about questions it would look like a fraction."""
    collapsed = [row("a", seed, name, score) for seed, score in ((1, 0.8333), (2, 0.0)) for name in DOMAINS]
    whole = rows({"b": [40, 41]})
    assert integrity.faults(ScoreTable.from_rows([*collapsed, *whole])) == ()
    uncounted = [r.model_copy(update={"questions": None}) for r in (*collapsed, *whole)]
    assert "fractions in a" in integrity.faults(ScoreTable.from_rows(uncounted))[0]


def test_many_places_are_cut_short():
    made = table({"a": [101, 102], "b": [40, 41]})
    (line,) = integrity.faults(made)
    assert line.endswith("and 21 more")


def test_faults_of_other_arms_and_benchmarks_do_not_spoil_a_comparison():
    made = table({"a": [50, 51], "b": [40, 41], "c": [400, 41]})
    assert integrity.faults(made, arms=("a", "b")) == ()
    assert integrity.faults(made, benchmarks=("gsm8k",)) != ()


def test_missing_cells_missing_seeds_and_identical_arms_are_notes():
    full = rows({"a": [50, 51, 52], "b": [50, 51, 52]})
    part = [r for r in full if (r.arm, r.seed) != ("b", 3) and (r.arm, r.seed, r.benchmark) != ("a", 1, "gsm8k")]
    made = ScoreTable.from_rows(part)
    assert integrity.faults(made) == ()
    assert integrity.notes(made) == (
        "missing scores (their seeds are left out): a seed 1 gsm8k",
        "b has no run of seed 3: only seeds that both arms have are paired",
        "a and b have one complete seed in common: a difference, but no interval",
        "a and b have identical scores in all 23 cells: suspected identical runs",
    )
