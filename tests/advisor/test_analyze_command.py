"""`advisor analyze`: a table in, verdicts out; text, JSON, exit codes, and how lightly it starts."""

import json
import re
import subprocess
import sys

import pytest

from advisor.cli.main import run
from tests.tools.analyze_tables import wide

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
    code, out, _ = called(capsys, table, "--treatment", "dump_ucb")
    assert code == 3
    assert "scores outside 0..100: dump_ucb seed" in " ".join(out.split())


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


FILE = """
primary: mix
sesoi: {mix: 0.5, small: 2}
summaries:
  mix: {weights: {gsm8k: 0.75, kk_hard: 0.25}}
  small: {domains: [math, logic]}
"""


def test_own_summaries_are_judged_with_their_own_smallest_effects(tmp_path, capsys):
    table, file = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2}), tmp_path / "mine.yaml"
    file.write_text(FILE)
    (one,) = document(capsys, table, "--summaries", file)["comparisons"]
    assert (one["primary"], list(one["summaries"])) == ("mix", ["mix", "small"])
    assert [summary["sesoi"] for summary in one["summaries"].values()] == [0.5, 2.0]
    mix = one["summaries"]["mix"]["differences"]["1"]
    assert document(capsys, table, "--summaries", file, "--sesoi", "1.5")["comparisons"][0]["summaries"]["mix"][
        "sesoi"
    ] == pytest.approx(1.5)
    rows = [line.split(",") for line in table.read_text().splitlines()]
    at = {name: rows[0].index(name) for name in ("gsm8k", "kk_hard", "method", "seed")}
    scores = {(row[at["method"]], row[at["seed"]]): row for row in rows[1:]}
    wanted = sum(
        weight * (float(scores["tscl", "1"][at[name]]) - float(scores["static", "1"][at[name]]))
        for name, weight in {"gsm8k": 0.75, "kk_hard": 0.25}.items()
    )
    assert mix == pytest.approx(wanted)


def test_summaries_lists_the_built_in_ones_and_a_files_own_with_weights(tmp_path, capsys):
    assert run(["summaries", "--json"]) == 0
    built_in = json.loads(capsys.readouterr().out)["summaries"]
    assert [one["name"] for one in built_in if one["in_verdict_set"]] == [
        "domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science",
    ]  # fmt: skip
    assert all(sum(one["weights"].values()) == pytest.approx(1) for one in built_in)
    file = tmp_path / "mine.yaml"
    file.write_text(FILE)
    assert run(["summaries", str(file), "--json"]) == 0
    mix, small = json.loads(capsys.readouterr().out)["summaries"]
    assert (mix["name"], mix["primary"], mix["sesoi"], mix["weights"]) == (
        "mix", True, 0.5, {"gsm8k": 0.75, "kk_hard": 0.25},
    )  # fmt: skip
    assert (len(small["weights"]), small["sesoi"]) == (9, 2.0)
    assert run(["summaries", str(file)]) == 0
    assert "0.75 gsm8k; 0.25 kk_hard" in capsys.readouterr().out


def test_over_models_says_what_holds_on_all_of_them(tmp_path, capsys):
    table = wide(tmp_path / "t.csv", {"static": 0, "tscl": 6, "dump_ucb": 0.1}, seeds=5, cells={"model": ["a", "b"]})
    across = {one["treatment"]: one for one in document(capsys, table, "--by", "model")["across"]}
    assert across["tscl"]["holds_on_all"] == "better"
    assert across["dump_ucb"]["holds_on_all"] is None
    assert list(across["tscl"]["models"]) == ["a", "b"]
    code, _, err = called(capsys, table, "--by", "regime")
    assert code == 2
    assert "cells are separated by model" in err


def test_the_report_folder_holds_everything_and_is_never_written_over_foreign_files(tmp_path, capsys):
    table, out = wide(tmp_path / "t.csv", {"static": 0, "tscl": 0.2}), tmp_path / "out"
    assert called(capsys, table, "--out", out)[0] == 0
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert files == {
        "report.md", "verdict.json", "figures/forest.svg",
        "tables/summaries.csv", "tables/differences.csv", "tables/benchmarks.csv",
    }  # fmt: skip
    first = {name: (out / name).read_bytes() for name in files}
    assert called(capsys, table, "--out", out)[0] == 0, "its own folder is written again"
    assert {name: (out / name).read_bytes() for name in files} == first
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    code, _, err = called(capsys, table, "--out", other)
    assert (code, (other / "thesis.tex").read_text()) == (2, "mine")
    assert "contains other files" in err
    assert called(capsys, table, "--out", table)[0] == 2
