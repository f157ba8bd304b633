"""A run's files, lock, key and environment."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from policies.errors import InputError
from policies.registry import resolve
from training.environment import recorded_environment, training_environment
from training.identity import artifact_hashes, run_key
from training.launchers.environment import child_environment
from training.recipe import load_recipe
from training.run import main, read_spec
from training.run_files import RunFiles, read_metrics, write_atomically
from training.run_spec import RunResult, RunSpec
from training.support.run_lock import RunLock, is_locked


def spec(**changes: object) -> RunSpec:
    content = {"recipe": load_recipe("tiny-cpu", steps=5), "policy": resolve("tscl"), "seed": 1, "deadline_s": 60.0}
    return RunSpec.model_validate(content | changes)


def test_the_row_of_the_later_attempt_counts_and_a_cut_line_does_not(tmp_path: Path) -> None:
    files = RunFiles(tmp_path)
    for attempt, rows, tail in (
        (1, {1: 0.1, 2: 0.2, 3: 0.3}, '{"step": 4, "da'),
        (10, {3: 0.33, 4: 0.44}, ""),
    ):
        path = files.attempt(attempt).metrics
        path.parent.mkdir(parents=True)
        text = "".join(json.dumps({"step": step, "data": {"r": r}}) + "\n" for step, r in rows.items())
        path.write_text(text + tail)
    assert [attempt.number for attempt in files.attempts()] == [1, 10]
    assert files.metrics() == {1: {"r": 0.1}, 2: {"r": 0.2}, 3: {"r": 0.33}, 4: {"r": 0.44}}
    assert read_metrics(tmp_path / "none.jsonl") == {}


def _hold(path: Path, held: "multiprocessing.synchronize.Event", release: "multiprocessing.synchronize.Event") -> None:
    with RunLock(path):
        held.set()
        release.wait(30)


def test_one_process_works_in_a_run_directory(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    path = tmp_path / "run.lock"
    assert not is_locked(path)
    holder = context.Process(target=_hold, args=(path, held, release))
    holder.start()
    assert held.wait(30)
    assert is_locked(path)
    with pytest.raises(InputError, match=f"in use by process {holder.pid}"), RunLock(path):
        pass
    release.set()
    holder.join(30)
    assert not is_locked(path)


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result.json"
    write_atomically(target, "old")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(target, "new")
    assert target.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_the_run_key_names_what_is_computed_and_nothing_else() -> None:
    artifacts, versions = artifact_hashes(load_recipe("tiny-cpu")), {"verl": "0.9.1"}
    key = run_key(spec(), artifacts, versions)
    recipe = load_recipe("tiny-cpu", steps=5)
    assert run_key(spec(deadline_s=99.0), artifacts, versions) == key
    assert run_key(spec(recipe=recipe.model_copy(update={"checkpoint_every": 3})), artifacts, versions) == key
    others = [
        spec(seed=2),
        spec(replicate=1),
        spec(policy=resolve("tscl", {"temperature": 2.0})),
        spec(policy=resolve("static")),
        spec(recipe=load_recipe("tiny-cpu", steps=6)),
        spec(recipe=recipe.model_copy(update={"learning_rate": 1e-3})),
    ]
    keys = {run_key(other, artifacts, versions) for other in others}
    assert len(keys) == len(others)
    assert key not in keys
    assert run_key(spec(), artifacts | {"model": "0"}, versions) != key
    assert run_key(spec(), artifacts, {"verl": "0.9.2"}) != key


def test_the_source_that_every_run_key_covers_is_what_it_was() -> None:
    """A change here, of a comment too, makes every stored run another run: update the hashes only on purpose."""
    found = artifact_hashes(load_recipe("tiny-cpu"))
    assert {name: found[name] for name in ("policies", "grading", "verl_plugin")} == {
        "policies": "e9871afa47f15a5610c78c1cb5c0d07d6c74a36734249cddcb365aebbf7fdcf8",
        "grading": "bf766cfe78b3c099ec9adb5744c1a7c7135404b41e17974ed6ab6cec26a4be6a",
        "verl_plugin": "1d5c4718a3f7fdf4fea77d0e9c1b82c82dfae0affea648148a80f5b622945c4f",
    }


def test_no_secret_and_no_foreign_import_path_reaches_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN", "WANDB_API_KEY", "PYTHONPATH", "ADVISOR_API_KEY"):
        monkeypatch.setenv(name, "canary-7f3a")
    for environment in (child_environment(), training_environment(tmp_path / "metrics.jsonl")):
        assert "canary-7f3a" not in environment.values()


def test_the_recorded_environment_holds_what_can_change_a_result(tmp_path: Path) -> None:
    recorded = recorded_environment(training_environment(tmp_path / "metrics.jsonl"))
    assert recorded["OMP_NUM_THREADS"] == "1"
    assert recorded["VERL_USE_EXTERNAL_PLUGINS"] == "none"
    assert not {"HOME", "PATH", "USER"} & recorded.keys()


@pytest.mark.parametrize(("said", "passed_on"), [(None, "1"), ("0", "0"), ("FALSE", "0"), ("no", "0"), ("on", "1")])
def test_the_switch_of_the_fast_start_reaches_the_driver_and_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str | None, passed_on: str
) -> None:
    """A run that is resumed with the switch turned is the same run."""
    monkeypatch.delenv("ADVISOR_FAST_START", raising=False)
    unset = recorded_environment(training_environment(tmp_path / "metrics.jsonl"))
    if said is not None:
        monkeypatch.setenv("ADVISOR_FAST_START", said)
    supervisor = child_environment()
    run_process = child_environment(supervisor)
    assert run_process.get("ADVISOR_FAST_START") == said
    monkeypatch.setattr(os, "environ", run_process)
    driver = training_environment(tmp_path / "metrics.jsonl")
    assert driver["ADVISOR_FAST_START"] == passed_on
    assert recorded_environment(driver) == unset


def test_another_word_for_the_switch_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADVISOR_FAST_START", "may\nbe")
    with pytest.raises(InputError, match=r"ADVISOR_FAST_START is 'may\\nbe'; set 0, false, no, off to switch it off"):
        training_environment(tmp_path / "metrics.jsonl")


def test_a_finished_run_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = RunFiles(tmp_path)
    files.spec.write_text(spec().model_dump_json())
    for outcome, code in (("done", 0), ("failed", 1)):
        result = RunResult.model_validate(
            {"outcome": outcome, "attempt": 1, "steps_done": 5, "wall_s": 1.0, "device_hours": 0.1, "reason": "why"}
        )
        files.result.write_text(result.model_dump_json())
        assert main([str(tmp_path)]) == code
        assert "5 steps" in capsys.readouterr().err
    assert files.attempts() == []


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "has no run.json"), ("{}", "recipe: Field required"), ("not json", "is not a run specification")],
)
def test_an_unusable_run_directory_is_one_line(
    tmp_path: Path, content: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    assert main([str(tmp_path)]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    with pytest.raises(InputError):
        read_spec(RunFiles(tmp_path))


def test_runs_that_are_started_from_different_shells_are_recorded_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = recorded_environment(training_environment(tmp_path / "metrics.jsonl"))
    for name, value in {
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
        "LC_CTYPE": "C",
        "TZ": "Asia/Kathmandu",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HOME": "/elsewhere",
        "OMP_NUM_THREADS": "7",
        "LC_SMUGGLED": "canary-7f3a",
        "ADVISOR_PASSPHRASE": "canary-7f3a",
    }.items():
        monkeypatch.setenv(name, value)
    environment = training_environment(tmp_path / "metrics.jsonl")
    assert recorded_environment(environment) == first
    assert "CUDA_VISIBLE_DEVICES" not in environment, "empty, it would refuse Ray its logical device"
    assert "canary-7f3a" not in child_environment().values()
