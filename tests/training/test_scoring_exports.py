import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from policies.errors import InputError
from training import scoring
from training.benchmarks.catalog import suite
from training.data.tiny_benchmarks import benchmark_sha256, questions
from training.engines.transformers import check_export
from training.grading.graders import Grade, GradingError
from training.models import model_path
from training.score import main, read_jobs
from training.scoring import SuiteScores, score_export

MODEL = model_path("builtin:tiny-qwen2")
WARM_START = {
    "math500": 32.0,
    "aime24": 34.0,
    "olympiadbench": 58.0,
    "minerva_math": 41.5,
    "gsm8k": 40.0,
    "kk_hard": 39.5,
    "bbh_logical_deduction": 59.5,
    "bbh_tracking": 67.0,
    "zebra_logic_mc": 56.0,
    "gpqa_diamond": 60.5,
    "mmlu_pro_chemistry": 69.5,
    "mmlu_pro_physics": 60.0,
}


def answers_with(texts: dict[str, str]):
    """A generator that answers right except where told, by question id."""
    asked = [question for row in suite("tiny-12") for question in questions(row.id)]

    def generate(export: Path, prompts: Sequence[str], max_new_tokens: int) -> list[str]:
        assert list(prompts) == [question.prompt for question in asked]
        return [texts.get(question.id, question.answer) for question in asked]

    return generate


@pytest.fixture(scope="module")
def fake_versions():
    """The harness line without loading torch."""
    patch = pytest.MonkeyPatch()
    patch.setattr(scoring.engine, "harness", lambda tokens: f"test engine, {tokens} new tokens")
    yield
    patch.undo()


@pytest.mark.usefixtures("fake_versions")
def test_scores_count_right_answers_and_keep_every_answer_with_its_reason(tmp_path: Path) -> None:
    told = answers_with({"gsm8k-000": "a lot", "gsm8k-001": "999", "kk_hard-003": "t"})
    result = score_export(tmp_path / "export", "tiny-12", tmp_path / "answers", told)
    by_id = {row.benchmark: row for row in result.scores}
    assert list(by_id) == [row.id for row in suite("tiny-12")]
    assert by_id["gsm8k"].score == pytest.approx(99.0)
    assert by_id["kk_hard"].score == pytest.approx(99.5)
    assert by_id["math500"].score == 100
    assert by_id["gsm8k"].sha256 == benchmark_sha256("tiny-12", "gsm8k")
    lines = [json.loads(line) for line in (tmp_path / "answers" / "gsm8k.jsonl").read_text().splitlines()]
    truth = questions("gsm8k")
    assert [line["id"] for line in lines] == [question.id for question in truth]
    assert lines[0] == {
        "id": "gsm8k-000",
        "answer": "a lot",
        "extracted": None,
        "graded": False,
        "reason": "no number in the answer",
    }
    assert lines[1]["reason"] == f"expected {truth[1].answer}"
    assert lines[2] == {
        "id": "gsm8k-002",
        "answer": truth[2].answer,
        "extracted": truth[2].answer,
        "graded": True,
        "reason": "",
    }
    stored = (tmp_path / "answers" / "scores.json").read_text()
    assert SuiteScores.model_validate_json(stored) == result
    assert not list((tmp_path / "answers").glob(".*"))


@pytest.mark.usefixtures("fake_versions")
def test_a_finished_folder_is_not_scored_again(tmp_path: Path) -> None:
    first = score_export(tmp_path, "tiny-12", tmp_path / "answers", answers_with({"gsm8k-000": "x"}))

    def never(export: Path, prompts: Sequence[str], max_new_tokens: int) -> list[str]:
        raise AssertionError("generated again")

    assert score_export(tmp_path, "tiny-12", tmp_path / "answers", never) == first


@pytest.mark.usefixtures("fake_versions")
def test_a_failing_grader_fails_the_job_and_leaves_no_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str, truth: str) -> Grade:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(scoring, "grader", lambda name: broken)
    with pytest.raises(GradingError, match=r"'number' failed on question math500-000.*ZeroDivisionError: boom"):
        score_export(tmp_path, "tiny-12", tmp_path / "answers", answers_with({}))
    assert not (tmp_path / "answers").exists()


def test_an_incomplete_export_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no exported model at"):
        check_export(tmp_path / "missing")
    for name in ("config.json", "tokenizer_config.json", "model.safetensors"):
        folder = tmp_path / f"without-{name}"
        shutil.copytree(MODEL, folder)
        (folder / name).unlink()
        with pytest.raises(InputError, match=f"lacks {name}; the run did not finish its export") as caught:
            check_export(folder)
        assert "\n" not in str(caught.value)


def test_a_sharded_export_needs_every_shard(tmp_path: Path) -> None:
    shutil.copytree(MODEL, tmp_path / "export")
    (tmp_path / "export" / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (tmp_path / "export" / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "export" / "model-00001-of-00002.safetensors").touch()
    with pytest.raises(InputError, match=r"lacks model-00002-of-00002\.safetensors"):
        check_export(tmp_path / "export")


def test_unusable_job_files_are_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "jobs.json"
    for text in ("", "[]", '{"jobs": [{"export": "/a", "suite": "tiny-12"}]}', '{"jobs": [], "more": 1}'):
        path.write_text(text)
        assert main([str(path)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2
    assert main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 6
    path.write_text('{"jobs": [{"export": "here", "suite": "tiny-12", "answers": "/a"}]}')
    with pytest.raises(InputError, match="absolute"):
        read_jobs(path)


def test_the_shipped_model_scores_as_published_and_a_bad_job_stops_no_other(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs the `train` extra")
    jobs = [
        {"export": str(tmp_path / "gone"), "suite": "tiny-12", "answers": str(tmp_path / "none")},
        {"export": str(MODEL), "suite": "tiny-12", "answers": str(tmp_path / "warm")},
    ]
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    command = [sys.executable, "-m", "training.score", str(tmp_path / "jobs.json")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "score 1/2: failed: no exported model at" in done.stderr
    assert "score 2/2: scored in" in done.stderr
    assert not (tmp_path / "none").exists()
    result = SuiteScores.model_validate_json((tmp_path / "warm" / "scores.json").read_text())
    scores = {row.benchmark: row.score for row in result.scores}
    # Another processor may round a tie the other way: one question of 200 is half a point.
    assert scores == pytest.approx(WARM_START, abs=1.0)
    assert sum(10 <= score <= 70 for score in scores.values()) >= 10
    assert "float32" in result.harness
