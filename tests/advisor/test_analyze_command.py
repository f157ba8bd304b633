"""`advisor analyze`: a table in, verdicts out; text, JSON, exit codes, and how lightly it starts."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.main import run

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from analyze_tables import wide

KEYS = {"n", "mean", "low", "high", "low_family", "high_family", "p_holm", "verdict"}


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["analyze", *map(str, arguments)])
    seen = capsys.readouterr()
    return code, seen.out, seen.err


def document(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict:
    found, out, _ = called(capsys, *arguments, "--json")
    assert found == code, _
    return json.loads(out, parse_constant=pytest.fail)


def test_json_has_one_object_a_comparison_with_the_agreed_keys(tmp_path, capsys):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2, "dump_ucb": 6}, seeds=5, cells={"model": ["a", "b"]})
    found = document(capsys, table)
    assert found["schema_version"] == 1
    assert [(one["group"]["model"], one["treatment"]) for one in found["comparisons"]] == [
        ("a", "tscl"), ("a", "dump_ucb"), ("b", "tscl"), ("b", "dump_ucb"),
    ]  # fmt: skip
    for one in found["comparisons"]:
        assert (one["control"], one["k"], one["delivery"]) == ("static", 2, "not_recorded")
        assert len(one["summaries"]) == 6
        for summary in one["summaries"].values():
            assert set(summary) >= KEYS
            assert summary["low_family"] < summary["low"] < summary["mean"] < summary["high"] < summary["high_family"]
    first, second = found["comparisons"][:2]
    assert (first["verdict"], first["direction"]) == ("negative_inconclusive", None)
    assert (second["verdict"], second["direction"]) == ("supported", "better")


def test_the_table_is_shown_worst_first_with_sentences_and_the_reading_on_stderr(tmp_path, capsys):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 6, "dump_ucb": -6}, seeds=5)
    code, out, err = called(capsys, table)
    assert code == 0
    assert out.index("dump_ucb") < out.index("tscl")
    assert "Verdict: dump_ucb worse than static." in out
    assert "arm = method" in err
    assert "arm = method" not in out


def test_all_invalid_is_refused_with_exit_code_3_and_some_invalid_is_not(tmp_path, capsys):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2, "dump_ucb": 60}, seeds=3)
    found = document(capsys, table)
    assert [one["verdict"] for one in found["comparisons"]] == ["negative_inconclusive", "invalid_data"]
    found = document(capsys, table, "--treatment", "dump_ucb", code=3)
    (one,) = found["comparisons"]
    assert "outside 0..100" in one["faults"][0]
    assert {summary["mean"] for summary in one["summaries"].values()} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--treatment", "tscll"], "tscl"),
        (["--control", "nobody"], "nobody"),
        (["--treatment", "tscl", "--control", "tscl"], "treatment and as control"),
        (["--sesoi", "0"], "sesoi|smallest effect"),
        (["--sesoi", "nan"], "smallest effect"),
        (["--confidence", "1.5"], "between 0.5 and 1"),
        (["--summary", "flat"], "flat_12"),
        (["--column", "method"], "ROLE=NAME"),
        (["--summaries", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(tmp_path, capsys, arguments, message):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2})
    code, out, err = called(capsys, table, *arguments)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert re.search(message, line), line


def test_a_comma_list_and_repeated_options_name_treatments(tmp_path, capsys):
    table = wide(tmp_path / "t.csv", {"base": 0, "one": 0.2, "two": 0.3, "three": 0.4})
    for arguments in (["--treatment", "one,two"], ["--treatment", "one", "--treatment", "two"]):
        found = document(capsys, table, *arguments, "--control", "base")
        assert [(each["treatment"], each["k"]) for each in found["comparisons"]] == [("one", 2), ("two", 2)]


def test_it_starts_without_anything_heavy(tmp_path):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2})
    program = (
        "import sys; from advisor.cli.main import run; code = run(sys.argv[1:]); "
        "heavy = {'torch', 'ray', 'matplotlib', 'openai', 'langgraph', 'transformers', 'verl'} & set(sys.modules); "
        "sys.stderr.write(f'heavy: {sorted(heavy)}'); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "analyze", str(table), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("heavy: []")
