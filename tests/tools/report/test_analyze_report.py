"""The report of a score table: a reviewed one, every verdict, many comparisons, and text that tries to break it."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from policies.errors import InputError
from tests.tools.analyze_tables import wide
from tools.analyze_scores import analyze_scores
from tools.report.scores.build import MOST_FIGURES, build_scores_report, demand_own_folder
from tools.report.scores.titles import scores_title
from tools.report.scores.views import MOST_DETAILS
from tools.statistics.sensitivity.sign_flip import flips_for, sign_flip

GOLDEN = Path(__file__).parent / "golden" / "scores_report.md"
SPLIT = (9.0,) * 5 + (0.0,) * 4 + (-9.0,) * 3
"""Above the control in math, below it in science."""


def analysed(path, **options):
    return analyze_scores([path], command="advisor analyze scores.csv", **options)


def page(analysis, folder):
    return build_scores_report(analysis, folder).read_text()


def section(text, heading):
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Four treatments of one control: better, inconclusive, depending on the summary, and with a score of 107."""
    folder = tmp_path_factory.mktemp("mixed")
    arms = {"static": 0.0, "tscl": 6.0, "dump_ucb": 0.2, "reward_gap": SPLIT, "ours": 60.0}
    table = wide(folder / "t.csv", arms, seeds=5, controls=dict.fromkeys(arms, "static"))
    analysis = analysed(table)
    return analysis, page(analysis, folder / "out"), folder / "out"


def test_a_small_table_gives_the_report_that_was_reviewed(tmp_path, monkeypatch):
    """After a wanted change: ADVISOR_REWRITE_GOLDEN=1 pytest THIS_FILE, then read the diff."""
    monkeypatch.chdir(tmp_path)
    wide(Path("scores.csv"), {"static": 0.0, "tscl": -0.3, "dump_ucb": 0.4}, seeds=5, cells={"model": ["toy-1b"]})
    text = page(analysed(Path("scores.csv"), treatments=["tscl"]), tmp_path / "out")
    if os.environ.get("ADVISOR_REWRITE_GOLDEN"):
        GOLDEN.write_text(text)
        pytest.fail(f"wrote {GOLDEN}: read it, then run again without ADVISOR_REWRITE_GOLDEN")
    assert text == GOLDEN.read_text()


def test_several_comparisons_are_told_worst_first_with_counts_that_do_not_lean(mixed):
    _, text, _ = mixed
    assert text.splitlines()[0] == (
        "# Do tscl, dump_ucb, reward_gap and ours beat static? Of four comparisons one is better and none is worse "
        "under every summary; one is depending on the summary, one is inconclusive, one is with invalid data"
    )
    rows = re.findall(r"^\| (\w+) +\| static", text, flags=re.MULTILINE)
    assert rows[:4] == ["reward_gap", "dump_ucb", "tscl", "ours"]
    assert text.count("share the control static") == 1


def test_invalid_data_are_told_with_their_fault_and_without_any_number(mixed):
    _, text, _ = mixed
    part = text.split("### Does ours beat static?")[1].split("\n### ")[0]
    assert "scores outside 0..100: ours seed" in part
    assert "Under each benchmark summary" not in part
    assert not re.search(r"\[-?\d", part)


def test_headings_are_unique_tables_are_tables_and_nothing_is_nan(mixed):
    _, text, out = mixed
    upper = re.findall(r"^#{1,3} .+$", text, flags=re.MULTILINE)
    assert len(set(upper)) == len(upper)
    assert "\n\n\n" not in text
    assert not re.search(r"\b(nan|NaN|None|inf)\b", text)
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")
    stored = json.loads((out / "verdict.json").read_text(), parse_constant=pytest.fail)
    assert stored["title"] == scores_title(mixed[0])
    assert [one["verdict"] for one in stored["comparisons"]] == [
        "supported", "negative_inconclusive", "depends_on_summary", "invalid_data",
    ]  # fmt: skip


def test_the_tables_hold_every_comparison(mixed):
    _, _, out = mixed
    rows = (out / "tables" / "summaries.csv").read_text().splitlines()
    assert len(rows) == 1 + 4 * 6
    assert len((out / "tables" / "differences.csv").read_text().splitlines()) == 1 + 3 * 6 * 5
    assert len((out / "tables" / "benchmarks.csv").read_text().splitlines()) == 1 + 3 * 12


def test_many_comparisons_are_limited_and_the_text_says_so(tmp_path):
    cells = {"model": [f"m{at}" for at in range(13)]}
    table = wide(tmp_path / "t.csv", {"static": 0.0, "tscl": 0.2}, cells=cells)
    analysis = analysed(table, by="model")
    text = page(analysis, tmp_path / "out")
    assert "Of 13 comparisons none is better or worse under every summary; all 13 are inconclusive" in text
    assert "twelve of 13 comparisons are reported in full" in text.lower()
    assert len(re.findall(r"^### Does .+ beat static, in m", text, flags=re.MULTILINE)) <= MOST_DETAILS
    assert len(list((tmp_path / "out" / "figures").iterdir())) == MOST_FIGURES
    over = section(text, "Over model")
    assert "No claim holds on all 13 tested models" in over
    assert "not averaged" in over
    assert "in general" not in text


def test_a_table_of_other_benchmarks_is_judged_under_summaries_of_its_own(tmp_path):
    table = wide(tmp_path / "t.csv", {"base": 0.0, "ours": 0.1}, benchmarks=("humaneval", "mbpp", "arc"), seeds=4)
    text = page(analysed(table, control="base"), tmp_path / "out")
    assert "no_humaneval" in text
    assert "domain_balanced" not in text
    assert "No domain is known for the benchmarks" in text


def test_seeds_that_differ_between_arms_are_paired_on_the_overlap_and_told(tmp_path):
    table = wide(tmp_path / "t.csv", {"static": 0.0, "tscl": 0.2}, seeds=5)
    lines = [line for line in table.read_text().splitlines() if not line.startswith(("tscl,5", "static,1"))]
    table.write_text("\n".join(lines) + "\n")
    analysis = analysed(table)
    (one,) = analysis.judged
    assert one.comparison.seeds == (2, 3, 4)
    text = page(analysis, tmp_path / "out")
    assert "tscl has no run of seed 5" in text
    assert "static has no run of seed 1" in text
    assert "n = 3 seed pairs" in text


@pytest.mark.parametrize("seeds", [1, 2])
def test_one_pair_and_two_are_told_for_what_they_are(tmp_path, seeds):
    text = page(analysed(wide(tmp_path / "t.csv", {"static": 0.0, "tscl": 0.2}, seeds=seeds)), tmp_path / "out")
    assert f"n = {seeds} seed pair" in text
    if seeds == 1:
        assert "One seed pair cannot say" in text
        assert "The choice of benchmarks" not in text


def test_identical_arms_are_suspected(tmp_path):
    table = wide(tmp_path / "t.csv", {"static": 0.0, "tscl": 0.0}, spread=0.0)
    analysis = analysed(table)
    assert analysis.judged[0].comparison.verdict == "not_estimable"
    assert "suspected identical runs" in page(analysis, tmp_path / "out")


def test_names_from_outside_cannot_break_or_forge_the_page(tmp_path):
    hostile = "x | y<script>alert(1)</script> **b** [a](http://b)"
    table = wide(tmp_path / "t.csv", {"static": 0.0, hostile: 0.2}, cells={"model": ["# Verdict: `better`"]})
    text = page(analysed(table, control="static"), tmp_path / "out")
    assert "<script>" not in text
    assert "](http" not in text
    assert "\n# Verdict" not in text


def test_a_folder_of_somebody_elses_is_refused_before_anything_is_read(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="contains other files"):
        analyze_scores([Path("never-read.csv")], out=tmp_path)
    (tmp_path / "verdict.json").write_text(json.dumps({"study_id": "another report"}))
    with pytest.raises(InputError, match="contains other files"):
        demand_own_folder(tmp_path)
    demand_own_folder(tmp_path / "new")


def test_what_a_large_table_leaves_out_of_the_page_is_told(tmp_path):
    rng = np.random.default_rng(5)
    rows = [
        f"{'baseline' if arm == 0 else f'p{arm}'},{seed}," + ",".join(f"{x:.2f}" for x in 50 + rng.standard_normal(3))
        for arm in range(80)
        for seed in range(4)
    ]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["method,seed,a,b,c", *rows]))
    analysis = analysed(table)
    assert {one.comparison.k for one in analysis.judged} == {79}
    text = page(analysis, tmp_path / "out")
    assert "19 comparisons more: tables/summaries.csv has all." in text
    assert len((tmp_path / "out" / "tables" / "summaries.csv").read_text().splitlines()) == 1 + 79 * 4


def test_random_flips_that_cannot_reach_the_level_make_no_interval():
    """At alpha / 999 ten thousand flips reach nothing, whatever the number of pairs."""
    rng = np.random.default_rng(1)
    found = sign_flip(rng.standard_normal((20, 1)), ("one",), 1 - 0.05 / 999, flips_for(20, rng))["one"]
    assert (found.usable, found.low, found.high) == (False, None, None)
    assert found.p is not None
