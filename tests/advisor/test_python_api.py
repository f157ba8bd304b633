"""`advisor.api` as a notebook uses it: the README's lines, what objects look like, errors of one line."""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from advisor import api
from advisor.api import AdvisorError, BudgetError, InputError, RefusedError, Study, analyze, power
from advisor.cli.main import run
from tests.tools.analyze_tables import wide

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "tests" / "fixtures" / "studies"


def unpacked(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(STUDIES / f"{name}.tar.gz") as packed:
        packed.extractall(folder, filter="data")
    (study,) = folder.iterdir()
    return study


def python(program: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return wide(tmp_path / "runs.csv", {"static": 0, "tscl": 0.2, "dump_ucb": 6}, seeds=4)


def shown_by_rich(value: object) -> str:
    console = Console(file=io.StringIO(), width=100)
    with console.capture() as captured:
        console.print(value)
    return captured.get()


def test_every_line_of_the_readme_runs_in_a_plain_script(tmp_path: Path) -> None:
    work = tmp_path / "empty"
    work.mkdir()
    unpacked("finished", work / "studies")
    wide(work / "runs.csv", {"static": 0, "tscl": 0.2})
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition("  #")[0].strip() for line in example.splitlines() if line.strip()]
    shown = [line for line in lines if not line.startswith("from ") and " = " not in line]
    assert len(shown) == 5
    program = "\n".join(f"print(repr({line}))" if line in shown else line for line in lines)
    done = python(program, work, ADVISOR_STUDIES="")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("Does tscl beat static? Three seeds cannot say")
    assert "domain_balanced_12" in done.stdout
    assert "Claim(id='tscl." in done.stdout


def test_the_import_is_light(tmp_path: Path) -> None:
    heavy = "{'torch', 'ray', 'matplotlib', 'pandas', 'numpy', 'scipy', 'pydantic', 'rich', 'typer', 'openai'}"
    program = f"import sys, advisor.api; print(sorted({heavy} & set(sys.modules)))"
    assert python(program, tmp_path).stdout == "[]\n"


def test_a_folder_of_ours_by_name_beside_the_notebook_is_one_import_error(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").touch()
    done = python("import advisor.api", tmp_path)
    assert done.stderr.splitlines()[-1].startswith("ImportError: package 'tools' is found at ")


def test_analyze_is_what_the_command_says(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = analyze(table, treatment=["tscl", "dump_ucb"], control="static", sesoi=1, out=tmp_path / "ours")
    assert run(["analyze", str(table), "--treatment", "tscl,dump_ucb", "--control", "static", "--sesoi", "1", "--out",
                str(tmp_path / "theirs")]) == 0  # fmt: skip
    capsys.readouterr()
    for name in ("verdict.json", "report.md", "tables/summaries.csv", "figures/forest.svg"):
        ours, theirs = ((tmp_path / side / name).read_text() for side in ("ours", "theirs"))
        assert ours == theirs.replace("theirs", "ours")
    pd.testing.assert_frame_equal(
        result.table(), pd.read_csv(tmp_path / "ours" / "tables" / "summaries.csv"), check_dtype=False
    )
    assert {"treatment", "summary", "n", "mean", "low", "high", "verdict"} <= set(result.table())


def test_paths_strings_frames_and_lists_of_them_give_the_same(table: Path) -> None:
    frame = pd.read_csv(table)
    known = analyze(table).table()
    for data in (str(table), [table], frame, [frame], frame.set_index(["method", "seed"]),
                 (frame[frame["seed"] < 3], frame[frame["seed"] > 2])):  # fmt: skip
        pd.testing.assert_frame_equal(analyze(data).table(), known)


def test_the_report_of_a_frame_says_how_to_repeat_it(table: Path, tmp_path: Path) -> None:
    analyze(pd.read_csv(table), "tscl", by=None, columns={"arm": "method"}, out=tmp_path / "report")
    page = (tmp_path / "report" / "report.md").read_text()
    assert "# frame-1.csv: the DataFrame, as its to_csv writes it\nadvisor analyze frame-1.csv --treatment tscl" in page
    assert "--column arm=method" in page


def test_a_result_shows_itself_in_text_rich_and_markdown(table: Path, tmp_path: Path) -> None:
    many = analyze(table)
    one = analyze(table, treatment="tscl")
    for result in (many, one):
        text, page = repr(result), result._repr_markdown_()
        assert str(result) == text
        assert text.splitlines() == [line.rstrip() for line in shown_by_rich(result).rstrip().splitlines()]
        assert "\x1b" not in text
        assert "Read " in text
        assert "| --: |" in page
        assert all(len(line) <= api.WIDTH for line in text.splitlines())
    assert "Verdict: dump_ucb better than static." in " ".join(repr(many).split())
    assert one._repr_markdown_().startswith("**Does tscl beat static?")
    assert "**domain_balanced_12** (primary)" in one._repr_markdown_()
    hostile = wide(tmp_path / "h.csv", {"static": 0, "[red]x[/red] <b>|": 0.2})
    result = analyze(hostile, control="static")
    assert "[red]x[/red] <b>|  static" in repr(result)
    assert "[red]x[/red] <b>|  static" in shown_by_rich(result)
    assert "<b>" not in result._repr_markdown_()


def test_a_figure_is_drawn_and_shown_without_pyplot(table: Path, tmp_path: Path) -> None:
    result = analyze(table, out=tmp_path / "report")
    figure: Any = result.forest()
    assert figure._repr_svg_() == (tmp_path / "report" / "figures" / "forest.svg").read_text()
    assert len(figure.axes) == 2
    cells = analyze(wide(tmp_path / "c.csv", {"static": 0, "tscl": 1}, cells={"model": ["a", "b"]}))
    assert len(cells.forest(model="b").axes) == 1
    for wrong in ({}, {"model": "c"}, {"size": 1}):
        with pytest.raises(InputError, match=r"cells fit .*: choose one of a; b, as forest\(model='a'\)"):
            cells.forest(**wrong)


def test_invalid_data_are_a_verdict_that_nothing_is_drawn_of(tmp_path: Path) -> None:
    result = analyze(wide(tmp_path / "t.csv", {"static": 0, "tscl": 60}))
    assert set(result.table()["overall_verdict"]) == {"invalid_data"}
    assert "scores outside 0..100" in repr(result)
    assert "scores outside 0..100" in result._repr_markdown_()
    with pytest.raises(RefusedError, match="nothing to draw"):
        result.forest()


NO_TABLE = "is no table of scores: give a path, a DataFrame or a list of them"


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda t: analyze(t, sesoi="big"), "sesoi='big' cannot be used: give float | None"),
        (lambda t: analyze(t, sesoi=-1), "smallest effect of interest -1 is out of range"),
        (lambda t: analyze(t, sesoi=float("nan")), "smallest effect of interest nan is out of range"),
        (lambda t: analyze(t, confidence=95), "confidence 95 is out of range; give a share between 0.5 and 1"),
        (lambda t: analyze(t, confidence=None), "confidence=None cannot be used: give float"),
        (lambda t: analyze(t, treatment=5), "treatment=5 cannot be used: give str | Sequence[str] | None"),
        (lambda t: analyze(t, treatment="tscll"), "tscl"),
        (lambda t: analyze(t, columns=["arm"]), "columns=['arm'] cannot be used: give Mapping[str, str] | None"),
        (lambda t: analyze(t, columns={"arms": "method"}), "unknown role 'arms'"),
        (lambda t: analyze(t, unit="permille"), "permille"),
        (lambda t: analyze(t, decimal="dot"), "unknown decimal mark 'dot': use point or comma"),
        (lambda t: analyze(t, summary="flat"), "summary 'flat' is not in the verdict set"),
        (lambda t: analyze(t, summaries=t.parent / "none.yaml"), "none.yaml"),
        (lambda t: analyze(t, by="size"), "size"),
        (lambda t: analyze(t.parent / "none.csv"), "no such file: "),
        (lambda t: analyze("a\0b.csv"), "no such file: "),
        (lambda t: analyze("x" * 5000), "File name too long"),
        (lambda t: analyze("~nobody-here/t.csv"), "is unknown here; give the full path"),
        (lambda t: analyze([]), "no file to read: name at least one"),
        (lambda t: analyze(""), NO_TABLE),
        (lambda t: analyze(None), NO_TABLE),
        (lambda t: analyze(pd.Series([1])), NO_TABLE),
        (lambda t: analyze([t, 3]), f"3 {NO_TABLE}"),
        (lambda t: analyze(pd.DataFrame()), "DataFrame is empty (0 rows, 0 columns): nothing to read"),
        (lambda t: analyze(t, out=t), "is not a folder: choose an empty or new one"),
        (lambda t: analyze(t, out=t / "sub"), "Not a directory"),
        (lambda t: power(sesoi="big"), "sesoi='big' cannot be used: give float | None"),
        (lambda t: power(model="nobody/nothing"), "nobody/nothing"),
        (lambda t: power(treatments=0), "treatments: Input should be greater than or equal to 1 (got 0)"),
        (lambda t: power(seeds=["x"]), "seeds.0: Input should be a valid integer"),
        (lambda t: power(seeds=2.5), "seeds.0: Input should be a valid integer"),
        (lambda t: power(seeds=0), "0 seeds cannot be judged"),
        (lambda t: power(budget="forty"), "budget 'forty' is not a number of GPU-hours"),
        (lambda t: power(sd=-1), "an SD of -1 is out of range"),
        (lambda t: power(sd={"flat": 1}), "unknown summary 'flat'"),
        (lambda t: power(sd=1, model="Qwen2.5-7B-base"), "both say what the spread is"),
        (lambda t: power(recipe="none.yaml"), "none.yaml"),
        (lambda t: power(summary="flat"), "flat"),
        (lambda t: power(pilot=t.parent / "none.csv"), "none.csv"),
        (lambda t: power(steps=-1), "steps"),
        (lambda t: Study("nobody"), "no study 'nobody'"),
        (lambda t: Study(5), "ref=5 cannot be used: give str | Path"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_used_is_one_line(table: Path, call: Callable[[Path], object], line: str) -> None:
    with pytest.raises(AdvisorError) as caught:
        call(table)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_option_that_does_not_exist_is_pythons_own_error(table: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'treatmnt'"):
        analyze(table, treatmnt="tscl")  # type: ignore[call-arg]


def test_power_is_what_the_command_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = power(model="Qwen2.5-0.5B-Instruct", seeds=[8, 3, np.int64(5)], hours_per_run=16, sesoi=0.5)
    assert run(["power", "--model", "Qwen2.5-0.5B-Instruct", "--seeds", "8,3,5", "--hours-per-run", "16", "--sesoi",
                "0.5", "--json"]) == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out) == found.answer.model_dump(mode="json")
    curve = found.curve()
    assert list(curve["n"]) == [3, 5, 8]
    assert list(curve["runs"]) == [6, 10, 16]
    assert list(curve["hours"]) == [96.0, 160.0, 256.0]
    assert curve["probability_supported"].is_monotonic_increasing
    assert repr(found).startswith("Qwen2.5-0.5B-Instruct:\nWith n = 8 seed pairs")
    assert str(found) == repr(found)
    assert "P(shown)" in shown_by_rich(found)
    assert "| pairs |" in found._repr_markdown_()


def test_power_takes_numbers_and_texts_alike() -> None:
    for budget in (40, 40.0, "40h"):
        assert "what the budget pays for" in power(sd=1.2, hours_per_run=2, budget=budget).answer.notes[-1]
    assert power(sd=1, seeds=4).answer.power.n == power(sd={"*": 1.0}, seeds=range(4, 9)).answer.power.n == 4
    with pytest.raises(BudgetError, match="does not pay for one run of each of 2 arms"):
        power(sd=1.2, hours_per_run=2, budget="1h")
    one = power(sd=1.2, seeds=1)
    assert list(one.curve()["half_width"].isna())[:2] == [True, False]


def test_a_finished_study_tells_verdict_table_figure_and_report(tmp_path: Path) -> None:
    folder = unpacked("finished", tmp_path / "studies")
    study = Study("latest", root=tmp_path / "studies")
    verdict = study.verdict()
    assert verdict.claims
    assert repr(verdict) == str(verdict) == f"StudyVerdict({folder.name}: {verdict.title})"
    assert study.plan.control.id == "static"
    assert study.status().state == "done"
    written = pd.read_csv(folder / "report" / "tables" / "summaries.csv")
    pd.testing.assert_frame_equal(study.table(), written, check_dtype=False, rtol=1e-9)
    figure: Any = study.forest()
    assert figure._repr_svg_().startswith("<?xml")
    assert study.report() == folder / "report" / "report.md"
    toy = "Demonstration on a toy model; it gives no information about real ones."
    for text in (repr(study), str(study), shown_by_rich(study), study._repr_markdown_()):
        words = " ".join(text.split())
        assert folder.name in words
        assert "done" in words
        assert verdict.title in words
        assert toy in words
    assert "domain\\_balanced" not in study._repr_markdown_()
    assert repr(Study(folder)) == repr(Study(folder.name[:14], root=str(folder.parent))) == repr(study)
    (folder / "study.db").unlink()
    assert repr(study).startswith(f"{folder.name}: ")


def test_a_study_that_is_not_done_tells_no_score_by_arm(tmp_path: Path) -> None:
    folder = unpacked("halfway", tmp_path / "studies")
    study = Study(folder)
    assert "1/3 seeds scored" in repr(study)
    assert "title" not in repr(study)
    for text in (repr(study), study._repr_markdown_(), shown_by_rich(study)):
        assert "Does tscl beat" not in text
        assert "domain_balanced_12 |" not in text
    for method in (study.verdict, study.report, study.table, study.forest):
        with pytest.raises(RefusedError, match="scores by arm stay hidden until every planned seed is complete"):
            method()
