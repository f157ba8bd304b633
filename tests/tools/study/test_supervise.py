"""A supervisor takes a study to its end; killed anywhere, the next one goes on and nothing runs twice."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from policies.errors import InputError
from tests.tools.study_cases import (
    SUPERVISOR,
    executed,
    moments,
    new_study,
    plan,
    recipe,
    set_behaviour,
    supervise_here,
    wait_gone,
)
from tools.study.amend import amend
from tools.study.folder import Study
from tools.study.follow import snapshot, watch
from tools.study.lifecycle import approve, create_study, unfinished_study
from tools.study.process import resume, start, stop
from training.launchers.processes import process_started
from training.recipe import CostModel

ALL = ["static 1 1", "tscl 1 1", "static 2 1", "tscl 2 1"]


def states(study: Study) -> dict[str, str]:
    return {f"{run.arm} {run.seed}": run.state for run in snapshot(study).runs}


def test_a_switch_that_no_run_would_understand_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = new_study(tmp_path)
    monkeypatch.setenv("ADVISOR_FAST_START", "maybe")
    with pytest.raises(InputError, match="ADVISOR_FAST_START is 'maybe'"):
        start(study, supervisor=SUPERVISOR)
    assert not (study.folder / "supervise.log").exists()


def test_runs_go_in_seed_blocks_and_end_scored_and_evaluated(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    done = supervise_here(study)
    assert done.returncode == 0, done.stderr
    assert executed(study) == ALL
    status = snapshot(study)
    assert (status.state, status.seeds_scored) == ("done", 2)
    assert all((run.state, run.step, run.reward) == ("done", 4, 0.04) for run in status.runs)
    assert status.spent_device_hours == pytest.approx(0.04, abs=0.01)
    with study.ledger() as ledger:
        assert len(ledger.scores()) == 4 * 4
        assert [row.k for row in ledger.attempts()] == [1, 1, 1, 1]
    assert (study.folder / "evaluated.txt").exists()


@pytest.mark.parametrize("seeds", [(1,), pytest.param((1, 2), marks=pytest.mark.slow)], ids=["each-kind", "all"])
def test_killed_at_any_moment_the_next_supervisor_finishes_and_no_run_is_executed_twice(
    tmp_path: Path, seeds: tuple[int, ...]
) -> None:
    """One seed: at the last moment of each kind, when most could be done again. Two: at every moment."""
    whole = new_study(tmp_path / "whole", seeds=seeds)
    supervise_here(whole)
    seen = [line.split() for line in moments(whole)][:-1]
    last = dict(seen)
    assert {"attempt_intended", "process_started", "run_done", "block_scored", "evaluation_started"} <= last.keys()
    for kind, number in last.items() if len(seeds) == 1 else seen:
        study = new_study(tmp_path / f"{kind}-{number}", seeds=seeds)
        killed = supervise_here(study, "--die-at", kind, number)
        assert killed.returncode == -signal.SIGKILL, (kind, killed.stderr)
        assert snapshot(study).state in ("approved", "interrupted"), kind
        finished = supervise_here(study)
        assert finished.returncode == 0, (kind, finished.stderr)
        assert executed(study) == ALL[: 2 * len(seeds)], kind
        assert set(states(study).values()) == {"done"}, kind


def test_a_run_that_is_killed_is_interrupted_and_a_resume_continues_it(tmp_path: Path) -> None:
    study = new_study(tmp_path, tscl_1="crash-once")
    assert supervise_here(study).returncode == 1
    status = snapshot(study)
    assert status.state == "interrupted"
    assert "run tscl seed 1 ended without a result (killed by signal 9)" in status.reason
    assert states(study)["tscl 1"] == "interrupted"
    assert supervise_here(study).returncode == 0
    assert executed(study) == ["static 1 1", "tscl 1 1", "tscl 1 2", "static 2 1", "tscl 2 1"]
    with study.ledger() as ledger:
        assert [row.outcome for row in ledger.attempts()] == ["done", "lost", "done", "done", "done"]


def test_a_run_that_failed_for_an_unknown_cause_blocks_the_study(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="broken")
    assert supervise_here(study).returncode == 1
    status = snapshot(study)
    assert status.state == "blocked"
    assert "run static seed 1 failed: KeyError: 'x'" in status.reason
    assert states(study) == {"static 1": "failed", "tscl 1": "planned", "static 2": "planned", "tscl 2": "planned"}
    set_behaviour(study)
    assert supervise_here(study).returncode == 1
    assert executed(study) == ["static 1 1"], "no supervisor tries again by itself"


def test_a_run_directory_that_cannot_be_used_blocks_with_what_the_run_said(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="unusable")
    assert supervise_here(study).returncode == 1
    assert "run static seed 1 cannot run: error: run.json cannot be used" in snapshot(study).reason
    set_behaviour(study)
    assert supervise_here(study).returncode == 0


def start_hanging(tmp_path: Path) -> tuple[Study, int]:
    """A started study whose first run hangs at step 2, and that run's pid."""
    study = new_study(tmp_path, static_1="hang")
    start(study, supervisor=SUPERVISOR)
    for status in watch(study, poll_s=0.02):
        if (study.folder / "hanging.txt").exists():
            break
        assert status.moves, status.reason
    return study, int((study.folder / "hanging.txt").read_text())


def test_a_live_run_is_adopted_by_the_next_supervisor_and_a_stop_ends_it(tmp_path: Path) -> None:
    study, run_pid = start_hanging(tmp_path)
    assert snapshot(study).runs[0].step == 2
    with study.ledger(read_only=True) as ledger:
        supervisor = [int(event.text.split()[1]) for event in ledger.events() if event.kind == "supervisor_started"]
    os.kill(supervisor[-1], signal.SIGKILL)
    os.waitpid(supervisor[-1], 0)
    assert process_started(run_pid) is not None
    assert snapshot(study).state == "interrupted"
    resume(study, supervisor=SUPERVISOR)
    for status in watch(study, poll_s=0.02):
        if "run_adopted 1" in moments(study):
            break
        assert status.moves, status.reason
    assert executed(study) == ["static 1 1"]
    stopped = stop(study)
    assert stopped.state == "stopped"
    assert process_started(run_pid) is None
    set_behaviour(study)
    assert supervise_here(study).returncode == 0
    assert executed(study) == ["static 1 1", "static 1 2", "tscl 1 1", "static 2 1", "tscl 2 1"]


def test_a_second_supervisor_refuses_and_a_second_start_changes_nothing(tmp_path: Path) -> None:
    study, _ = start_hanging(tmp_path)
    second = supervise_here(study)
    assert second.returncode == 3
    assert "another supervisor is running" in second.stderr
    assert start(study, supervisor=SUPERVISOR).state == "running"
    with study.ledger(read_only=True) as ledger:
        assert [event.kind for event in ledger.events()].count("supervisor_started") == 1
    assert stop(study).state == "stopped"


def test_a_live_run_whose_process_is_not_recorded_is_found_by_its_lock(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="hang")
    assert supervise_here(study, "--die-at", "process_started", "1").returncode == -signal.SIGKILL
    with study.ledger() as ledger:
        assert ledger.attempts()[0].pid is None
    resume(study, supervisor=SUPERVISOR)
    for status in watch(study, poll_s=0.02):
        if (study.folder / "hanging.txt").exists() and "run_adopted 1" in moments(study):
            break
        assert status.moves, status.reason
    assert executed(study) == ["static 1 1"]
    assert stop(study).state == "stopped"


def test_a_run_of_another_host_is_unknown_until_it_is_taken_over(tmp_path: Path) -> None:
    study = new_study(tmp_path, static_1="crash-once")
    supervise_here(study, "--die-at", "run_started", "1")
    elsewhere(study, "another-host")
    assert supervise_here(study).returncode == 3
    status = snapshot(study)
    assert status.state == "interrupted"
    assert "started on another-host" in status.reason
    assert "--take-over" in status.reason
    assert supervise_here(study, "--take-over").returncode == 0
    assert executed(study)[:2] == ["static 1 1", "static 1 2"]


def elsewhere(study: Study, host: str) -> None:
    """Rewrites the open attempt as if another host had started it."""
    import sqlite3

    from tests.tools.study_cases import wait_gone

    wait_gone(study)
    connection = sqlite3.connect(study.folder / "study.db")
    with connection:
        connection.execute("UPDATE attempts SET host = ?", (host,))
    connection.close()


def test_without_approval_or_after_a_change_nothing_starts(tmp_path: Path) -> None:
    study = new_study(tmp_path, approved=False)
    assert supervise_here(study).returncode == 3
    approve(study, "a person")
    amend(study, plan(seeds=(1, 2, 3)))
    with pytest.raises(Exception, match="is not approved"):
        start(study, supervisor=SUPERVISOR)
    assert supervise_here(study).returncode == 3
    assert executed(study) == []


def test_an_amendment_repeats_no_run(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    assert supervise_here(study).returncode == 0
    amend(study, plan(seeds=(1, 2, 3)))
    approve(study, "a person")
    assert supervise_here(study).returncode == 0
    assert executed(study) == [*ALL, "static 3 1", "tscl 3 1"]


def test_a_study_that_stands_still_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STUDIES", str(tmp_path))
    study = new_study(tmp_path, approved=False, tscl_1="crash-once", tscl_2="broken")
    name = study.folder.name
    assert snapshot(study).standing == f"next: advisor approve {name}"
    approve(study, "ann", 0.001)
    assert snapshot(study).standing == f"next: advisor run {name}"
    supervise_here(study)
    assert snapshot(study).standing.startswith("budget: ")
    assert snapshot(study).standing.endswith(f"; approve a ceiling of at least 0.010; then: advisor resume {name}")
    approve(study, "ann", 1.0)
    supervise_here(study)
    assert snapshot(study).standing == (
        "run tscl seed 1 ended without a result (killed by signal 9); it continues from its last checkpoint; "
        f"next: advisor resume {name}"
    )
    supervise_here(study)
    assert snapshot(study).standing.startswith("run tscl seed 2 failed: ")
    assert snapshot(study).next == f"advisor resume {name}"


def test_a_plan_waits_in_its_study_until_it_is_done(tmp_path: Path) -> None:
    assert unfinished_study(plan(), tmp_path) is None
    study = new_study(tmp_path, ceiling=0.001)
    assert unfinished_study(plan(), tmp_path) == study
    assert unfinished_study(plan(question="is tscl better than static?"), tmp_path) is None
    assert unfinished_study(plan(seeds=(3, 4)), tmp_path) is None
    assert supervise_here(study).returncode == 4
    assert unfinished_study(plan(), tmp_path) == study, "asked again, it says what ceiling it needs"
    approve(study, "ann", 1.0)
    assert supervise_here(study).returncode == 0
    assert unfinished_study(plan(), tmp_path) is None
    failed = new_study(tmp_path, tscl_1="broken")
    assert supervise_here(failed).returncode == 1
    assert unfinished_study(plan(), tmp_path) == failed


def test_a_run_that_died_unseen_costs_what_it_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, run_pid = start_hanging(tmp_path)
    with study.ledger(read_only=True) as ledger:
        (supervisor,) = (int(row.text.split()[1]) for row in ledger.events() if row.kind == "supervisor_started")
        (attempt,), (run, *_) = ledger.attempts(), ledger.runs()
    for process in (supervisor, run_pid):
        os.kill(process, signal.SIGKILL)
    os.waitpid(supervisor, 0)
    wait_gone(study)
    for path in (study.folder / run.folder).rglob("*"):
        os.utime(path, (attempt.started + 36, attempt.started + 36))
    monkeypatch.setattr("time.time", lambda: attempt.started + 86400)
    status = snapshot(study)
    assert status.state == "interrupted"
    assert status.spent_device_hours == pytest.approx(0.01)
    assert status.runs[0].device_hours == pytest.approx(0.01)


def test_a_moved_study_goes_on(tmp_path: Path) -> None:
    study = new_study(tmp_path / "here", tscl_1="crash-once")
    assert supervise_here(study).returncode == 1
    (tmp_path / "there").mkdir()
    moved = Study(study.folder.rename(tmp_path / "there" / "renamed"))
    assert supervise_here(moved).returncode == 0
    assert executed(moved) == ["static 1 1", "tscl 1 1", "tscl 1 2", "static 2 1", "tscl 2 1"]


def test_the_ceiling_stops_a_study_before_the_run_that_would_pass_it(tmp_path: Path) -> None:
    study = new_study(tmp_path, ceiling=0.025)
    assert supervise_here(study).returncode == 4
    status = snapshot(study)
    assert status.state == "blocked"
    assert "of 0.025 approved device-hours are spent" in status.reason
    assert executed(study) == ALL[:2]
    approve(study, "a person", 1.0)
    assert supervise_here(study).returncode == 0
    assert executed(study) == ALL


def test_a_run_that_uses_up_the_ceiling_is_stopped_and_continues_under_a_higher_one(tmp_path: Path) -> None:
    cheap = recipe(cost=CostModel(startup_s=0, step_s=1e-6, scoring_s=0, disk_mb=0, source="far too low"))
    study = create_study(plan(recipe=cheap, seeds=(1,)), tmp_path)
    set_behaviour(study, static_1="hang")
    approve(study, "a person", 1e-4)
    assert supervise_here(study).returncode == 4
    assert "was stopped when the 0.0001 approved device-hours were used up" in snapshot(study).reason
    set_behaviour(study)
    approve(study, "a person", 1.0)
    assert supervise_here(study).returncode == 0
    assert executed(study) == ["static 1 1", "static 1 2", "tscl 1 1"]


def test_other_software_than_planned_is_refused(tmp_path: Path) -> None:
    study = create_study(plan(versions={"verl": "0.8.0"}), tmp_path)
    approve(study, "a person")
    assert supervise_here(study).returncode == 3
    assert "package verl is 0.9.1 here but 0.8.0 in the approved plan" in snapshot(study).reason


def test_scores_of_other_questions_are_never_stored(tmp_path: Path) -> None:
    planned = plan()
    other = planned.benchmarks[0].model_copy(update={"sha256": "math500-v2"})
    study = create_study(planned.model_copy(update={"benchmarks": (other, *planned.benchmarks[1:])}), tmp_path)
    (study.folder / "behaviour.json").write_text("{}")
    approve(study, "a person")
    assert supervise_here(study).returncode == 1
    assert "math500 differ" in snapshot(study).reason
    with study.ledger() as ledger:
        assert ledger.scores() == ()


def test_runs_see_neither_secrets_nor_import_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "canary-9f3b"
    for name in ("OPENAI_API_KEY", "PYTHONPATH", "ADVISOR_API_KEY", "HF_TOKEN", "WANDB_API_KEY"):
        monkeypatch.setenv(name, canary)
    study = new_study(tmp_path)
    start(study, supervisor=SUPERVISOR)
    assert list(watch(study, poll_s=0.02))[-1].state == "done"
    environment = json.loads(next(study.folder.glob("runs/*/*/*/*/environment.json")).read_text())
    assert environment["OMP_NUM_THREADS"] == "1"
    for path in study.folder.rglob("*"):
        assert not path.is_file() or canary.encode() not in path.read_bytes(), path


def test_an_unexpected_error_is_kept_and_the_study_can_go_on(tmp_path: Path) -> None:
    study = new_study(tmp_path)
    (study.folder / "scoring").write_text("a file where a folder should be")
    assert supervise_here(study).returncode == 1
    status = snapshot(study)
    assert status.state == "interrupted"
    assert "unexpected: NotADirectoryError" in status.reason
    with study.ledger() as ledger:
        assert any(event.kind == "error" and "Traceback" in event.text for event in ledger.events())
    (study.folder / "scoring").unlink()
    assert supervise_here(study).returncode == 0
    assert executed(study) == ALL


def test_a_folder_without_a_ledger_is_named(tmp_path: Path) -> None:
    answer = subprocess.run([*SUPERVISOR, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 1
    assert f"no study.db in {tmp_path}" in answer.stderr


def test_an_expected_cost_is_learnt_from_done_runs(tmp_path: Path) -> None:
    expensive = recipe(steps=400)
    study = create_study(plan(recipe=expensive), tmp_path)
    (study.folder / "behaviour.json").write_text("{}")
    approve(study, "a person", 0.7)
    assert supervise_here(study).returncode == 0, "400 steps at 5 s were expected; runs took 0.01 device-hours"
