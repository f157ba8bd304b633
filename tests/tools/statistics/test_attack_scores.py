"""Tables meant to break the analysis: each gave a wrong number, a false sentence or a crash before."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from advisor.cli.app import app
from tools.analyze_scores import analyze_scores
from tools.scores.readers.read import read_scores

HEAD = "arm,seed,gsm8k,math500\n"
CLEAR = HEAD + "a,1,55,66\na,2,55.2,66.1\na,3,55.1,66.2\n{row}b,1,50,61\nb,2,50.1,61.3\nb,3,50.2,61.2\nb,4,50.1,61.3\n"
"""a is better than b on seeds 1 to 3; what a's seed 4 gave is the row's."""


def write(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("row", ["a,4,55,\n", "a,4,,\n", "a,4,NaN,nan\n"], ids=["one score", "emptied", "NaN"])
def test_a_failed_run_does_not_help_by_losing_all_its_scores_instead_of_some(tmp_path, row):
    (judged,) = analyze_scores([write(tmp_path, CLEAR.format(row=row))], control="b").judged
    assert judged.comparison.verdict == "negative_inconclusive"
    assert judged.comparison.lost_seeds == (4,)
    assert not any("has no run" in note for note in judged.comparison.notes), "it has one, without scores"


def test_a_run_that_nobody_lists_is_no_lost_one(tmp_path):
    (judged,) = analyze_scores([write(tmp_path, CLEAR.format(row=""))], control="b").judged
    assert (judged.comparison.verdict, judged.comparison.lost_seeds) == ("supported", ())
    assert any("a has no run of seed 4" in note for note in judged.comparison.notes)


NAMES = ["[/red]", "[red]loud[/red]", ":smile:", r"$\frac$", "$x_{$", "<b>&amp;</b>", "=1+1", "中文", "x" * 300]


def odd(folder: Path) -> Path:
    """Arms and benchmarks named so."""
    columns = ["gsm8k", "[/x]", r"$\bad{$", "中文"]
    lines = [",".join(["arm", "seed", *columns])]
    for of, arm in enumerate(["control", *NAMES]):
        scores = 50 + np.sin(np.arange(12.0).reshape(3, 4) * (of + 1))
        lines += [",".join([arm, str(seed + 1), *(f"{one:.3f}" for one in row)]) for seed, row in enumerate(scores)]
    return write(folder, "\n".join(lines) + "\n")


def test_names_are_shown_as_they_are_written_and_steer_nothing(tmp_path):
    result = CliRunner().invoke(app, ["analyze", str(odd(tmp_path)), "--control", "control"])
    assert result.exit_code == 0
    shown = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert set(NAMES[:-1]) <= set(shown), "each in its row of the table"


def test_figures_take_any_name(tmp_path, recwarn):
    analyze_scores([odd(tmp_path)], control="control", out=tmp_path / "out")
    (figure,) = (tmp_path / "out" / "figures").glob("*.svg")
    text = "".join(ET.parse(figure).getroot().itertext())
    assert "中文 - control" in text, "as text: the viewer has the font that matplotlib lacks"
    assert r"$\frac$ - control" in text, "no formula"
    assert "x" * 100 not in text, "a long name is cut: it left no room for the plot"
    assert not [one for one in recwarn if "font" in str(one.message) or "layout" in str(one.message)]


def test_a_wide_table_of_thousands_of_columns_is_read_in_one_pass(tmp_path):
    """Two columns were compared with each other for every pair of columns: minutes for 10,000."""
    names = [f"bench{at}" for at in range(3000)]
    head = ",".join(["arm", "seed", *names, "bench7_stderr", "n_bench8"])
    rows = [
        ",".join([arm, str(seed), *(f"{40 + (at + seed * len(arm)) % 17}.5" for at in range(3000)), f"0.{seed}", "120"])
        for arm in ("a", "bb")
        for seed in (1, 2)
    ]
    book = read_scores([write(tmp_path, "\n".join([head, *rows]) + "\n")])
    assert book.cells[0].table.benchmarks == tuple(names)
    assert book.cells[0].table.questions[0, 0, 8] == 120
    assert any("bench7_stderr" in note for note in book.notes)


@pytest.mark.parametrize("columns", ["20", "50", "80"])
def test_a_narrow_terminal_cuts_no_number_and_no_verdict(tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    head, *rows = CLEAR.format(row="").splitlines()
    table = [f"model,{head}", *(f"a-model-of-a-rather-long-name,{row}" for row in rows)]
    table += [f"another-model-of-a-rather-long-name,{row}" for row in rows]
    result = CliRunner().invoke(app, ["analyze", str(write(tmp_path, "\n".join(table))), "--control", "b"])
    assert len(re.findall(r"better +3 +1 +\+4\.97 +\[4\.89, 5\.04\]", result.stdout)) == 2


def test_an_infinite_score_makes_its_comparison_invalid_and_no_other(tmp_path):
    text = HEAD + "a,1,inf,50\na,2,50,51\na,3,50,51.5\nb,1,50,50\nb,2,51,50.8\nb,3,51.7,50.2\n"
    text += "c,1,52,50\nc,2,53,49.8\nc,3,53,49.2\n"
    analysis = analyze_scores([write(tmp_path, text)], control="b", out=tmp_path / "out")
    a, c = (one.comparison for one in analysis.judged)
    assert (a.verdict, a.faults) == ("invalid_data", ("scores outside 0..100: a seed 1 gsm8k = inf",))
    assert c.verdict == "negative_inconclusive"
