"""Whatever is typed, a command answers with one line and an exit code, and hands nothing dangerous on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.main import run
from tools.plan.intent import StudyIntent
from tools.study.folder import find_study, studies_root
from tools.text.plain_text import middle_cut, one_line

QUESTION = "does tscl beat static?"
PLAN = ["plan", "--dry-run", QUESTION]
ASK = ["ask", QUESTION, "--yes", "--budget", "1h"]
HUGE = "1" + "0" * 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*PLAN, "--confidence", "NaN"], "confidence"),
        ([*PLAN, "--confidence", "1e400"], "confidence"),
        ([*PLAN, "--sesoi", "inf"], "sesoi"),
        ([*PLAN, "--budget", "9" * 300], "budget"),
        ([*PLAN, "--seed-list", "5-3"], "3-5"),
        ([*PLAN, "--seed-list", "1,1,2"], "twice"),
        ([*PLAN, "--seed-list", ",".join(["1-1000"] * 500)], "fewer"),
        ([*PLAN, "--recipe", "~nobody-here/mine.yaml"], "nobody-here"),
        ([*PLAN, "--recipe", "x" * 100_000 + ".yaml"], "does not exist"),
        ([*ASK, "--seeds", HUGE], "seeds"),
        ([*ASK, "--treatment", "\udcff"], "unknown policy"),
        (["ask", f"does tscl beat static with {HUGE} seeds", "--yes", "--budget", "1h"], "seeds"),
        (["plan", "does tscl(temperature=1e400) beat static?"], "temperature"),
        (["plan", "tscl vs static, seeds 1, 1, 2"], "twice"),
        (["plan", "tscl vs static with recipe nope"], "nope"),
        (["plan", "一" + "亿" * 60 + "个种子，tscl 比 static 好吗"], "seeds are more"),
        (["plan", "what can I detect with 5 seeds?", "--confidence", "0.3"], "confidence"),
        (["plan", "what can I detect with 5 seeds?", "--sesoi", "0"], "smallest effect"),
        (["plan", QUESTION + "x" * 1_000_000], "characters"),
        (["plan", "~nobody-here"], "nobody-here"),
        (["status", "~nobody-here"], "nobody-here"),
        (["status", "x" * 100_000], "no study"),
        (["stop", "x" * 300], "no study"),
        (["report", "\udcff"], "no study"),
    ],
)
def test_it_is_refused_in_one_readable_line(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert run([*words, "--json"]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err[:-1].isprintable()
    assert len(captured.err) < 1600
    assert json.loads(captured.out)["error"]["exit_code"] == 2
    assert not studies_root().exists()


def test_limits_that_pay_for_no_pair_say_what_would(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["plan", "what can I detect with 0.001 GPU-hours?"], [*PLAN, "--budget", "0.001"]):
        assert run(words) == 4
        assert "give at least 0.0" in capsys.readouterr().err


def test_terminal_escapes_in_a_question_never_come_back_out(capsys: pytest.CaptureFixture[str]) -> None:
    question = "\x1b]0;title\x07does tscl\r\n beat\x9b2J static?\u202e"
    for words in (["understand", question], ["plan", question], ["plan", "latest"]):
        assert run(words) == 0
        shown = capsys.readouterr()
        assert not [char for char in shown.out + shown.err if one_line(char) != char and char not in " \n"]
    assert find_study("latest").plan.question == "]0;title does tscl beat 2J static?"


def test_an_approver_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", QUESTION]) == 0
    assert run(["approve", "latest", "--yes", "--budget", "1h", "--by", "\x1b[2Jann\nb"]) == 0
    assert "approved by [2Jann b (--yes)" in capsys.readouterr().out


def test_an_output_that_knows_no_unicode_gets_valid_json_and_readable_text(tmp_path: Path) -> None:
    question = "does tscl beat static? 🤖 naïve"
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "ADVISOR_STUDIES": str(tmp_path / "studies")}

    def told(*words: str) -> str:
        command = [sys.executable, "-m", "advisor.cli.main", *words]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
        return done.stdout.decode("ascii")

    assert json.loads(told("understand", question, "--json"))["question"] == question
    assert r"\U0001f916 na\xefve" in told("understand", question)


def test_a_question_is_read_as_it_was_typed_whatever_the_locale_says() -> None:
    question = "用5个种子比较 topk 和均匀采样"
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "advisor.cli.main", "understand", question, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60)
    understood = json.loads(done.stdout)
    assert (understood["question"], understood["seeds"]) == (question, 5)


def test_no_file_that_cannot_be_written_is_called_a_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere/plan.yaml")

    monkeypatch.setattr("tools.study.lifecycle.create_study", full)
    assert run(["plan", QUESTION]) == 1
    said = capsys.readouterr().err
    assert "/somewhere/plan.yaml: No space left on device" in said
    assert "bug" not in said


def test_lines_are_cut_in_the_middle_and_keep_both_ends() -> None:
    cut = middle_cut("what " + "x" * 1000 + " to do", 60)
    assert len(cut) == 60
    assert cut.startswith("what x")
    assert cut.endswith("x to do")
    assert middle_cut("short", 60) == "short"


def test_an_intent_from_anywhere_holds_plain_lines_only() -> None:
    intent = StudyIntent(question="a\nb\x1b[0m", kind="clarify", message="c\r\nd", notes=("e\x07f",))
    assert (intent.question, intent.message, intent.notes) == ("a b [0m", "c d", ("e f",))
    assert StudyIntent(question="a", kind="clarify").message is None


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs `advisor` as ADVISOR inside a shell line."""
    line = line.replace("ADVISOR ", f"{sys.executable} -m advisor.cli.main ")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("ADVISOR policies > /dev/full", 1, "No space left"),
        ("ADVISOR understand 'does tscl help?' --json > /dev/full", 1, "No space left"),
        ("ADVISOR policies >&-", 0, ""),
        ("ADVISOR plan x 2>&- >&- <&-", 2, ""),
        ("unset ADVISOR_STUDIES; mkdir gone; cd gone; rmdir ../gone; ADVISOR status", 1, "current folder"),
        ("set -o pipefail; ADVISOR benchmarks --json | true", 1, ""),
    ],
)
def test_an_output_that_takes_nothing_is_no_traceback(tmp_path: Path, line: str, code: int, said: str) -> None:
    done = shell(line, tmp_path)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert not {"Traceback", "Exception ignored", "bug"} & set(done.stderr.split())
    assert done.stderr.count("error: ") <= 2


@pytest.mark.parametrize("columns", ["0", "1", "-5", "abc"])
def test_a_width_that_no_terminal_has_is_not_believed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["summaries"]) == 0
    assert "domain_balanced_12" in capsys.readouterr().out
