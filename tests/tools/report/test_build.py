"""A report is complete, well-formed Markdown, the same bytes each time, and says no number that is not there."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.report.report_cases import cases, material
from tools.evaluation.material import Deviation, ReportMaterial
from tools.report.claims.study import TOY_NOTICE
from tools.report.study.build import build_report

CASES = cases()
GOLDEN = Path(__file__).parent / "golden"
NOT_A_NUMBER = re.compile(r"\b(nan|NaN|None|inf|Infinity|null)\b")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every case's report folder."""
    root = tmp_path_factory.mktemp("reports")
    return {name: build_report(one, root / name).parent for name, one in CASES.items()}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def section(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def golden(built: Path) -> str:
    """The reviewed text. After a wanted change: ADVISOR_REWRITE_GOLDEN=1 pytest THIS_FILE, then read the diff."""
    path = GOLDEN / built.name
    if os.environ.get("ADVISOR_REWRITE_GOLDEN"):
        path.write_bytes(built.read_bytes())
        pytest.fail(f"wrote {path}: read it, then run again without ADVISOR_REWRITE_GOLDEN")
    return path.read_text()


def test_a_small_study_gives_the_report_that_was_reviewed(built: dict[str, Path]) -> None:
    page = built["inconclusive"] / "report.md"
    assert page.read_text() == golden(page)


def numbers_apart(stored: str) -> dict[str, object]:
    """Without the sensitivity views: searched weightings differ between machines by more than their last bits."""
    return {key: value for key, value in json.loads(stored).items() if key != "sensitivity"}


def test_a_small_study_gives_the_numbers_that_were_reviewed(built: dict[str, Path]) -> None:
    """Same keys in the same order; values to nine digits, since the last bits are the machine's."""
    path = built["inconclusive"] / "verdict.json"
    made, reviewed = (leaves(numbers_apart(text)) for text in (path.read_text(), golden(path)))
    assert list(made) == list(reviewed)
    for key, value in reviewed.items():
        assert made[key] == (pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value), key


def leaves(value: object, path: str = "") -> dict[str, object]:
    """Path -> leaf, in order."""
    if isinstance(value, dict):
        return {key: leaf for name, item in value.items() for key, leaf in leaves(item, f"{path}/{name}").items()}
    if isinstance(value, list):
        return {key: leaf for at, item in enumerate(value) for key, leaf in leaves(item, f"{path}/{at}").items()}
    return {path: value}


def test_a_rebuild_gives_the_same_bytes_in_another_process_too(tmp_path: Path, built: dict[str, Path]) -> None:
    stored = tmp_path / "material.json"
    stored.write_text(CASES["several"].model_dump_json())
    code = (
        "import sys; from pathlib import Path; from tools.report.study.build import build_report; "
        "from tools.evaluation.material import ReportMaterial; "
        "build_report(ReportMaterial.model_validate_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", code, stored, tmp_path / "report"], check=True, env=environment)
    assert contents(tmp_path / "report") == contents(built["several"])


def test_a_folder_holds_the_report_its_numbers_figures_and_tables_and_nothing_half_written(
    built: dict[str, Path],
) -> None:
    assert set(contents(built["inconclusive"])) == {
        "report.md",
        "verdict.json",
        "figures/forest.svg",
        "figures/curves.svg",
        "tables/summaries.csv",
        "tables/benchmarks.csv",
        "tables/scores.csv",
    }


def test_a_figure_of_a_treatment_that_was_not_delivered_is_another_one_than_of_one_that_was(
    built: dict[str, Path],
) -> None:
    """The same scores: only the words over the panel differ."""
    same = material({"tscl": 6.0}, seeds=5)
    assert same.scores == CASES["not_delivered"].scores
    assert contents(built["better"])["figures/forest.svg"] != contents(built["not_delivered"])["figures/forest.svg"]


def test_a_figure_that_no_longer_has_anything_to_show_goes(tmp_path: Path) -> None:
    build_report(CASES["inconclusive"], tmp_path)
    page = build_report(CASES["mixed_harness"].model_copy(update={"curves": ()}), tmp_path).read_text()
    assert list((tmp_path / "figures").iterdir()) == []
    assert ".svg" not in page


@pytest.mark.parametrize("name", CASES)
def test_no_file_says_nan_none_or_infinity(name: str, built: dict[str, Path]) -> None:
    """The unmatched case has `None` as a config value, which is data; it is taken out first."""
    for path in built[name].rglob("*"):
        if path.suffix in (".md", ".csv"):
            page = path.read_text().replace("None \\| `7`", "")
            assert not NOT_A_NUMBER.search(page), f"{path.name}: {NOT_A_NUMBER.search(page)}"


@pytest.mark.parametrize("name", CASES)
def test_every_table_has_as_many_cells_in_each_row_as_in_its_head(name: str, built: dict[str, Path]) -> None:
    lines = (built[name] / "report.md").read_text().splitlines()
    heads = [at for at, line in enumerate(lines) if re.fullmatch(r"\|( -+:? \|)+", line)]
    assert heads, "a report has tables"
    for head in heads:
        start, width = head - 1, lines[head].count("|")
        assert lines[start - 1] == "", "a blank line before a table"
        for line in lines[start:]:
            if not line.startswith("|"):
                assert line == "", "a blank line after a table"
                break
            assert len(re.findall(r"(?<!\\)\|", line)) == width, line


@pytest.mark.parametrize("name", CASES)
def test_headings_are_unique_at_their_level_and_stand_between_blank_lines(name: str, built: dict[str, Path]) -> None:
    page = (built[name] / "report.md").read_text()
    outside_code = re.sub(r"```.*?```", "", page, flags=re.DOTALL).splitlines()
    heads = [(at, line) for at, line in enumerate(outside_code) if line.startswith("#")]
    for at, _ in heads:
        assert outside_code[at - 1] == ""
        assert outside_code[at + 1] == ""
    upper = [line for _, line in heads if line.startswith(("# ", "## "))]
    assert len(set(upper)) == len(upper)
    assert sum(line.startswith("# ") for _, line in heads) == 1
    assert "\n\n\n" not in page
    assert page.endswith("\n")


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_json_with_ids_and_null_for_what_is_not_known(name: str, built: dict[str, Path]) -> None:
    stored = json.loads((built[name] / "verdict.json").read_text(), parse_constant=pytest.fail)
    assert all(set(number) == {"value", "unit", "n"} for number in stored["numbers"].values())
    assert stored["title"] in (built[name] / "report.md").read_text()
    ids = [claim["id"] for claim in stored["claims"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", CASES)
def test_the_first_line_of_a_toy_report_says_so(name: str, built: dict[str, Path]) -> None:
    assert (built[name] / "report.md").read_text().splitlines()[0] == TOY_NOTICE


def test_a_real_recipe_has_no_toy_notice(tmp_path: Path) -> None:
    one = CASES["inconclusive"]
    recipe = one.plan.recipe.model_copy(update={"toy": False, "device": "cuda"})
    real = one.model_copy(update={"plan": one.plan.model_copy(update={"recipe": recipe})})
    page = build_report(real, tmp_path).read_text()
    assert page.startswith("# Does tscl beat static?")
    assert "toy" not in page.split("## Held fixed")[0]
    assert "GPU-hours" in page
    assert "device-hours" not in page


def test_sections_stand_in_the_order_of_a_readers_questions(built: dict[str, Path]) -> None:
    heads = re.findall(r"^## (.+)$", (built["inconclusive"] / "report.md").read_text(), flags=re.MULTILINE)
    assert heads == [
        "Under each benchmark summary",
        "What may be said",
        "What may not be said",
        "The choice of benchmarks",
        "By benchmark",
        "Paired differences by seed",
        "Was the treatment delivered?",
        "Outcomes other than scores",
        "Does it depend on one seed, benchmark or domain?",
        "Other tests and intervals",
        "Did pairing by seed pay?",
        "Two layers of noise",
        "Secondary metrics",
        "Collapsed cells",
        "Were the arms matched?",
        "What an answer would need",
        "What this plan could detect",
        "Runs, failures and cost",
        "Deviations from the plan",
        "Held fixed",
        "Versions",
        "Reproduce",
    ]


def test_summaries_are_sorted_by_their_lower_limit_worst_first(built: dict[str, Path]) -> None:
    page = (built["depends"] / "report.md").read_text()
    lows = [float(low) for low in re.findall(r"\| +\[(-?[\d.]+), ", section(page, "Under each benchmark summary"))]
    assert len(lows) == 6
    assert lows == sorted(lows)


def test_one_treatment_shows_no_second_interval_and_several_show_both(built: dict[str, Path]) -> None:
    assert "alone (unadjusted)" not in (built["inconclusive"] / "report.md").read_text()
    several = (built["several"] / "report.md").read_text()
    assert several.count("98.3 % interval (family of 3) | 95 % alone (unadjusted)") == 3


def test_several_treatments_get_a_section_each_and_the_shared_control_is_told_once(built: dict[str, Path]) -> None:
    page = (built["several"] / "report.md").read_text()
    for name in ("tscl", "reward_gap", "dump_ucb"):
        assert page.count(f"\n## Does {name} beat static?") == 1
    assert page.count("Three treatments share the control static") == 1


def test_invalid_data_prints_every_fault_and_no_difference(built: dict[str, Path]) -> None:
    for name in ("mixed_harness", "unmatched"):
        page = (built[name] / "report.md").read_text()
        assert all(f"- {fault}" in page for fault in CASES[name].verdict.comparisons[0].faults)
        assert "Under each benchmark summary" not in page
        assert "difference |" not in page
        assert "forest.svg" not in page


def test_mismatches_are_listed_with_both_values(built: dict[str, Path]) -> None:
    page = (built["unmatched"] / "report.md").read_text()
    assert "The arms are not matched: one difference" in page
    assert re.search(r"\| tscl +\| +1 \| `data.seed` \| `1` +\| `` None \\\| `7` `` \|", page)


def test_reports_by_benchmark_are_called_diagnostic_and_show_means_of_the_same_seeds(built: dict[str, Path]) -> None:
    page = (built["lost_pair"] / "report.md").read_text()
    part = section(page, "By benchmark")
    assert "diagnostic, unadjusted, not part of the verdict" in part
    rows = list(csv.DictReader(io.StringIO((built["lost_pair"] / "tables" / "benchmarks.csv").read_text())))
    assert {row["n"] for row in rows} == {"4"}
    for row in rows:
        gap = float(row["treatment_mean"]) - float(row["control_mean"])
        assert gap == pytest.approx(float(row["difference"]))


def test_a_lost_pair_is_told_with_its_failure_and_its_deviation(built: dict[str, Path]) -> None:
    page = (built["lost_pair"] / "report.md").read_text()
    assert "Failed runs: tscl 1, static 0." in page
    assert "tscl seed 5 failed: reward is not finite \\| stopped" in page
    assert "cannot outweigh one lost pair" in page


def test_scores_csv_gives_back_every_stored_score(built: dict[str, Path]) -> None:
    rows = list(csv.DictReader(io.StringIO((built["several"] / "tables" / "scores.csv").read_text())))
    stored = CASES["several"].scores
    assert [float(row["score"]) for row in rows] == [row.score for row in stored]
    assert [(row["arm"], row["benchmark"]) for row in rows] == [(row.arm, row.benchmark) for row in stored]


def test_text_from_outside_cannot_break_or_forge_the_page(tmp_path: Path) -> None:
    hostile = "x | y\n\n# Verdict: tscl better\n<script>alert(1)</script> **bold** [a](http://b) ![i](http://c) `code`"
    one = CASES["inconclusive"]
    changed: ReportMaterial = one.model_copy(
        update={
            "plan": one.plan.model_copy(update={"question": hostile, "notes": ("# " + hostile,)}),
            "hardware": {hostile: hostile},
            "runs": (one.runs[0].model_copy(update={"state": "failed", "reason": hostile}), *one.runs[1:]),
            "deviations": (Deviation(when="now", what=hostile),),
        }
    )
    page = build_report(changed, tmp_path).read_text()
    assert "\n# Verdict" not in page
    assert "- # " not in page
    assert "<script>" not in re.sub(r"``.*?``", "", page)
    assert "](http" not in re.sub(r"``.*?``", "", page)
    assert page.count("|") - page.count("\\|") == build_report(one, tmp_path).read_text().count("|")


def test_an_empty_study_still_gets_a_page(tmp_path: Path) -> None:
    bare = material({"tscl": 0.2}, runs=(), curves=(), outcomes=(), power=None, matching=None, commands=())
    page = build_report(bare, tmp_path).read_text()
    assert "Matching was not checked." in page
    assert "No run is recorded: the scores came from elsewhere." in page
    assert "No run of tscl" not in page


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="report"):
        build_report(CASES["inconclusive"], tmp_path / "report")
