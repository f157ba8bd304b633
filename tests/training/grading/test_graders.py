import pytest

from policies.errors import AdvisorError, InputError
from training.benchmarks.catalog import suite, suites
from training.grading.graders import GradingError, grader
from training.grading.reward import compute_score


@pytest.mark.parametrize(
    ("name", "text", "truth", "right"),
    [
        ("number", " 12\n", "12", True),
        ("number", "012", "12", True),
        ("number", "12.0", "12", True),
        ("number", "1/2", "0.5", True),
        ("number", "-3", "3", False),
        ("number", "1,024", "1024", True),
        ("choice", " B ", "B", True),
        ("choice", "(B)", "B", True),
        ("choice", "B.", "B", True),
        ("choice", "b", "B", False),
        ("choice", "4", "4", True),
        ("knights", "t l", "tl", True),
        ("knights", "lt", "tl", False),
    ],
)
def test_a_readable_answer_is_marked_by_its_meaning(name: str, text: str, truth: str, right: bool) -> None:
    grade = grader(name)(text, truth)
    assert grade.right is right
    assert grade.extracted is not None
    assert (grade.reason == "") is right


@pytest.mark.parametrize(
    ("name", "text", "truth"),
    [
        ("number", "", "12"),
        ("number", "1 2", "12"),
        ("number", "twelve", "12"),
        ("number", "1/0", "12"),
        ("number", "nan", "12"),
        ("number", "١٢", "12"),
        ("choice", "", "B"),
        ("choice", "AB", "B"),
        ("choice", "option B", "B"),
        ("knights", "t", "tl"),
        ("knights", "tlt", "tl"),
        ("knights", "kn", "tl"),
    ],
)
def test_an_unreadable_answer_is_wrong_and_says_so(name: str, text: str, truth: str) -> None:
    grade = grader(name)(text, truth)
    assert not grade.right
    assert grade.extracted is None
    assert grade.reason.startswith("no ")


@pytest.mark.parametrize(("name", "truth"), [("number", "?"), ("choice", "AB"), ("knights", "")])
def test_a_broken_true_answer_stops_the_job_instead_of_counting_as_wrong(name: str, truth: str) -> None:
    with pytest.raises(GradingError, match="broken"):
        grader(name)("1", truth)


def test_every_benchmark_names_a_grader_that_exists() -> None:
    for name in suites():
        for row in suite(name):
            assert callable(grader(row.grader))


def test_an_unknown_grader_gets_the_nearest_names() -> None:
    with pytest.raises(InputError, match="knights"):
        grader("knight")


def test_the_reward_is_one_for_right_and_zero_for_wrong() -> None:
    info = {"benchmark": "gsm8k", "domain": "math"}
    assert compute_score("math", " 7", "7", info) == {"score": 1.0, "acc": 1.0}
    assert compute_score("math", "8", "7", info) == {"score": 0.0, "acc": 0.0}
    assert compute_score("math", "8", "7", info, reward_router_address=None) == {"score": 0.0, "acc": 0.0}


@pytest.mark.parametrize("info", [None, {}, {"benchmark": None}, {"benchmark": "nope"}])
def test_a_training_row_without_a_known_benchmark_is_an_error_not_a_zero(info: dict[str, object] | None) -> None:
    with pytest.raises(AdvisorError):
        compute_score("math", "7", "7", info)
