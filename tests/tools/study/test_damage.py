"""A study folder that was damaged or changed: one line names the fault, nothing is repaired in silence or lost."""

import json
import shutil
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from policies.errors import AdvisorError, RefusedError
from tests.tools.study_cases import (
    SUPERVISOR,
    executed,
    new_study,
    plan,
    set_behaviour,
    supervise_here,
)
from tools.evaluation.gather import material
from tools.study.amend import amend
from tools.study.folder import Study
from tools.study.follow import snapshot
from tools.study.lifecycle import approve, create_study, list_studies
from tools.study.process import start
from tools.study.rows import RunRow
from tools.study.status import StudyStatus
from tools.study.supervisor.block_scoring import score_key
from tools.write_report import write_report


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = new_study(tmp_path_factory.mktemp("done"))
    assert supervise_here(study).returncode == 0
    return study


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Seed 1 is scored, static seed 2 is done, tscl seed 2 was killed."""
    study = new_study(tmp_path_factory.mktemp("half"), tscl_2="crash")
    assert supervise_here(study).returncode == 1
    set_behaviour(study)
    return study


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Study], Study]:
    return lambda study: Study(Path(shutil.copytree(study.folder, tmp_path / "study")))


def changed(study: Study, statement: str) -> None:
    connection = sqlite3.connect(study.folder / "study.db")
    with connection:
        connection.execute(statement)
    connection.close()


def run_dir(study: Study, arm: str, seed: int) -> Path:
    return next(study.folder.glob(f"runs/toy/{arm}/seed-{seed}/*"))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE study SET state = 'frozen'", "StudyRow"),
        ("UPDATE runs SET state = 'zombie'", "RunRow"),
        ("UPDATE runs SET folder = '../../../elsewhere'", "RunRow"),
        ("UPDATE runs SET folder = '/elsewhere'", "RunRow"),
        ("UPDATE attempts SET ended = 'x'", "AttemptRow"),
        ("UPDATE attempts SET device_hours = -5", "AttemptRow"),
        ("UPDATE approvals SET ceiling_device_hours = 1e999", "ApprovalRow"),
        ("UPDATE scores SET score = 'much'", "StoredScore"),
        ("UPDATE plan SET bytes = 'text'", "stored plan is not JSON"),
        ("UPDATE plan SET power = 'nope'", "power statement"),
        ("DELETE FROM plan", "holds no plan"),
        ("DELETE FROM study", "holds no study"),
        ("DELETE FROM scores WHERE rowid = 1", "not those of the planned benchmarks"),
        ("UPDATE scores SET benchmark = 'other' WHERE rowid = 1", "other"),
        ("UPDATE scores SET sha256 = 'other' WHERE rowid = 1", "not those of the planned benchmarks"),
    ],
)
def test_a_ledger_that_was_written_by_hand_is_not_believed(
    done: Study, copy: Callable[[Study], Study], statement: str, said: str
) -> None:
    study = copy(done)
    changed(study, statement)
    with pytest.raises(AdvisorError, match=said) as caught:
        material(study)
    assert "\n" not in str(caught.value)


def test_an_empty_database_stays_empty_and_is_named(done: Study, copy: Callable[[Study], Study]) -> None:
    study = copy(done)
    database = study.folder / "study.db"
    database.write_bytes(b"")
    for look in (snapshot, write_report, lambda study: approve(study, "x")):
        with pytest.raises(AdvisorError, match=r"study\.db is empty or not the ledger"):
            look(study)
    assert supervise_here(study).returncode == 1
    assert database.read_bytes() == b""


def test_a_locked_database_names_the_other_process_as_the_fault(
    done: Study, copy: Callable[[Study], Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = copy(done)
    monkeypatch.setattr("tools.study.database.PATIENCE_S", 0.05)
    other = sqlite3.connect(study.folder / "study.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(AdvisorError, match="another process"):
        approve(study, "a person")
    other.close()
    assert approve(study, "a person").who == "a person"


def test_what_is_stored_lies_in_the_database_file_alone(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    with study.ledger(read_only=True) as reader:
        reader.study()
        approve(study, "a second person")
        (tmp_path / "copy").mkdir()
        shutil.copy(study.folder / "study.db", tmp_path / "copy" / "study.db")
    with Study(tmp_path / "copy").ledger(read_only=True) as ledger:
        assert [row.who for row in ledger.approvals()] == ["a person", "a second person"]


def test_a_study_that_cannot_be_made_leaves_no_half_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tools.study.lifecycle.write_exports", full)
    with pytest.raises(OSError, match="No space"):
        create_study(plan(), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["[" * 5000, "a: 2001-99-99", "\udcff", "", "confidence: .nan"])
def test_a_plan_file_that_is_no_plan_is_refused(halfway: Study, copy: Callable[[Study], Study], text: str) -> None:
    study = copy(halfway)
    path = study.folder / "plan.yaml"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(RefusedError, match=r"plan\.yaml .*delete"):
        start(study, supervisor=SUPERVISOR)
    assert path.read_text(errors="surrogateescape") == text
    path.unlink()
    assert supervise_here(study).returncode == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lock: lock["approvals"][0].update(who="somebody else"), "who: 'a person' -> 'somebody else'"),
        (lambda lock: lock["approvals"].append(lock["approvals"][0]), "approvals"),
        (lambda lock: lock.update(plan_hash="0" * 64), "plan_hash"),
        (lambda lock: lock.clear(), "approvals"),
    ],
)
def test_a_record_of_approvals_that_was_edited_is_refused(
    halfway: Study, copy: Callable[[Study], Study], change: Callable[[dict], None], said: str
) -> None:
    study = copy(halfway)
    path = study.folder / "plan.lock.json"
    lock = json.loads(path.read_text())
    change(lock)
    path.write_text(json.dumps(lock))
    with pytest.raises(RefusedError, match=f"was edited .*{said}"):
        start(study, supervisor=SUPERVISOR)
    path.write_text("{{{")
    with pytest.raises(RefusedError, match="cannot be read"):
        start(study, supervisor=SUPERVISOR)


def test_files_that_lag_behind_the_ledger_after_a_kill_are_no_edit(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    before = {name: (study.folder / name).read_text() for name in ("plan.yaml", "plan.lock.json")}
    amend(study, plan(seeds=(1, 2, 3)))
    approve(study, "a person")
    for name, text in before.items():
        (study.folder / name).write_text(text)
    assert supervise_here(study).returncode == 0
    assert yaml.safe_load((study.folder / "plan.yaml").read_text())["seeds"] == [1, 2, 3]


def test_a_damaged_result_blocks_until_a_person_decides(halfway: Study, copy: Callable[[Study], Study]) -> None:
    study = copy(halfway)
    result = run_dir(study, "tscl", 2) / "result.json"
    for damage in ("{{{", '{"schema_version": 2, "outcome": "done"}', ""):
        result.write_text(damage)
        assert supervise_here(study).returncode == 2
        status = snapshot(study)
        assert status.state == "blocked"
        assert "result.json is damaged" in status.reason
        assert result.read_text() == damage
    assert executed(study)[-1] == "tscl 2 1"
    result.unlink()
    assert supervise_here(study).returncode == 0
    assert executed(study)[-1] == "tscl 2 2"


def test_a_result_of_another_run_is_never_taken_for_this_one(halfway: Study, copy: Callable[[Study], Study]) -> None:
    study = copy(halfway)
    folder, other = run_dir(study, "tscl", 2), run_dir(study, "tscl", 1)
    shutil.copy(other / "result.json", folder / "result.json")
    shutil.copy(other / "run.json", folder / "run.json")
    assert supervise_here(study).returncode == 2
    assert "is not the run that this study planned, yet it has a result" in snapshot(study).reason
    assert executed(study)[-1] == "tscl 2 1"


def test_a_run_whose_folder_was_deleted_before_it_was_scored_is_named(
    halfway: Study, copy: Callable[[Study], Study]
) -> None:
    study = copy(halfway)
    shutil.rmtree(run_dir(study, "static", 2))
    assert supervise_here(study).returncode == 1
    assert "run static seed 2 has no exported model" in snapshot(study).reason


@pytest.mark.parametrize(
    "line",
    [
        b"{{{",
        b"[1, 2]",
        b'{"a": 1}',
        b'{"step": "x", "data": {}}',
        b'{"step": 1, "data": null}',
        b'{"step": 1, "data": {"critic/rewards/mean": NaN, "response_length/mean": 1}}',
        b'{"step": 1, "data": {"critic/rewards/mean": "high"}}',
        b'{"step": 1, "data": {"critic/rewards/mean": 1' + b"0" * 400 + b"}}",
        b"[" * 20000,
        b"\xff\x00\xfe",
    ],
)
def test_damaged_metrics_cost_the_curve_and_the_report_says_so(
    done: Study, copy: Callable[[Study], Study], line: bytes
) -> None:
    study = copy(done)
    path = run_dir(study, "tscl", 1) / "attempts" / "1" / "metrics.jsonl"
    path.write_bytes(b"\n".join([line, *path.read_bytes().split(b"\n")[1:]]))
    made = material(study)
    assert {(curve.arm, curve.seed) for curve in made.curves} == {("static", 1), ("static", 2), ("tscl", 2)}
    assert ["the metrics of every step" in one.what for one in made.deviations] == [True]
    assert made.verdict == material(done).verdict
    assert snapshot(study).state == "done"


@pytest.mark.parametrize("text", ["[" * 5000, "a: 2001-99-99", "advisor: text", "\udcff"])
def test_a_config_that_cannot_be_read_is_no_match(done: Study, copy: Callable[[Study], Study], text: str) -> None:
    study = copy(done)
    (run_dir(study, "tscl", 1) / "config.yaml").write_text(text, errors="surrogateescape")
    assert material(study).verdict.comparisons[0].verdict == "invalid_data"


def test_a_study_that_cannot_be_looked_at_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = new_study(tmp_path), new_study(tmp_path)

    def look(study: Study) -> StudyStatus:
        if study == first:
            raise PermissionError(13, "Permission denied", str(study.folder))
        return snapshot(study)

    monkeypatch.setattr("tools.study.lifecycle.snapshot", look)
    assert [(line.id, line.state) for line in list_studies(tmp_path)] == [
        (first.folder.name, None),
        (second.folder.name, "approved"),
    ]


def test_damaged_scores_block_until_a_person_decides(halfway: Study, copy: Callable[[Study], Study]) -> None:
    study = copy(halfway)
    assert supervise_here(study, "--die-at", "scoring_started", "1").returncode == -signal.SIGKILL
    answers = [study.answers_dir(study.plan, run, score_key(run.run_key, study.plan)) for run in runs_of(study, 2)]
    for damage in (
        "{{{",
        '{"scores": [{"score": NaN}]}',
        '{"schema_version": 1, "suite": "x", "harness": "", "scores": []}',
    ):
        for folder in answers:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "scores.json").write_text(damage)
        assert supervise_here(study).returncode == 1
        assert "scores.json" in snapshot(study).reason
        assert "delete its folder" in snapshot(study).reason
        with study.ledger(read_only=True) as ledger:
            assert {score.run for score in ledger.scores()} == {run.id for run in runs_of(study, 1)}
    for folder in answers:
        shutil.rmtree(folder)
    assert supervise_here(study).returncode == 0


def runs_of(study: Study, seed: int) -> list[RunRow]:
    with study.ledger(read_only=True) as ledger:
        return [run for run in ledger.runs() if run.seed == seed]
