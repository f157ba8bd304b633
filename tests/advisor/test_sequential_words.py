"""Words that ask for a study which may stop early, and words that do not; English and Chinese."""

import json

import pytest

from advisor import reader
from advisor.cli.main import run


@pytest.mark.parametrize(
    ("question", "seeds", "first"),
    [
        ("does tscl beat static? sequential, at most 12 seeds", 12, None),
        ("does tscl beat static? stop early if it is clear, at least 6 seeds and at most 20 seeds", 20, 6),
        ("compare tscl with static, group-sequential, 15 seeds, first look at 6 seeds", 15, 6),
        ("tscl against static with interim looks, up to ten seeds", 10, None),
        ("tscl 能打过 static 吗？提前停止，至多 16 个种子", 16, None),
        ("tscl 和 static 比，序贯，至少 4 个种子，最多 10 个种子", 10, 4),
    ],
)
def test_a_study_that_may_stop_early_is_read_as_one(question: str, seeds: int, first: int | None) -> None:
    found = reader.read(question)
    assert (found.kind, found.sequential, found.seeds, found.min_seeds) == ("compare", True, seeds, first)
    assert found.notes == ()


@pytest.mark.parametrize(
    "question",
    [
        "does tscl beat static? 8 seeds",
        "does tscl beat static? 8 seeds, do not stop early",
        "does tscl beat static? no early stopping",
        "tscl 和 static 比，不要提前停，8 个种子",
    ],
)
def test_a_study_that_may_not_is_not(question: str) -> None:
    assert not reader.read(question).sequential


def test_adding_seeds_until_it_wins_is_refused_and_the_valid_way_is_named() -> None:
    found = reader.read("compare tscl with static, add seeds until it is significant")
    assert (found.kind, found.reason) == ("refuse", "optional_stopping")
    assert "sequential" in (found.message or "")


def test_flags_make_a_sequential_plan_and_its_price_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["plan", "does tscl beat static?", "--sequential", "--seeds", "8", "--min-seeds", "4", "--dry-run"]
    assert run([*asked, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["plan"]["design"]["n_min"], made["plan"]["design"]["n_max"]) == (4, 8)
    assert made["cost"]["runs"] == 16, "what is approved is the most it may take"
    zero, sesoi = made["expected"]["at_zero"], made["expected"]["at_sesoi"]
    assert 4 <= zero["seeds"] < 8
    assert zero["device_hours"] == pytest.approx(2 * zero["seeds"] * made["cost"]["device_hours_per_run"])
    assert sesoi["effect"] == 1.0
    assert run(asked) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "at most 8 matched pairs",
        "looks after each seed from seed 4 on",
        "at most 16 = 2 arms",
        "expected without",
        "looks cost without looks, 8 seeds would detect",
        "to reach 0.80 with looks, allow a maximum of",
    ):
        assert words in shown, words
    assert run(["plan", "does tscl beat static?", "--min-seeds", "4", "--dry-run"]) == 2
    assert "add --sequential" in capsys.readouterr().err
