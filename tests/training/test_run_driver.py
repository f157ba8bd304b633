"""What ends an attempt for good and what may be tried again: training that fails, and machines that give out."""

import errno
import json
import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from policies.registry import resolve
from training.attempt import Attempt
from training.checkpoints import IncompleteExportError
from training.driver import FAILED, INTERRUPTED, main
from training.failures import is_infrastructure
from training.recipe import load_recipe
from training.run import main as run_main
from training.run_files import RunFiles
from training.run_lock import RunLock
from training.run_spec import RunResult, RunSpec


class RayTaskError(Exception):
    """As Ray has it: the worker's own error is its cause."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__("a worker failed")
        self.cause = cause


class ActorDiedError(Exception):
    """A name that Ray uses."""


def wrapped(error: BaseException) -> BaseException:
    outer = RuntimeError("while saving")
    outer.__cause__ = error
    return outer


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "error",
    [
        ActorDiedError(),
        ConnectionError(),
        MemoryError(),
        FULL,
        wrapped(FULL),
        RayTaskError(FULL),
        RayTaskError(wrapped(FULL)),
    ],
)
def test_lost_processes_and_full_disks_are_no_failure_of_training(error: BaseException) -> None:
    assert is_infrastructure(error)


@pytest.mark.parametrize(
    "error", [ValueError("loss is NaN"), FileNotFoundError(errno.ENOENT, "model"), RayTaskError(KeyError("x")), None]
)
def test_everything_else_is(error: BaseException | None) -> None:
    assert not is_infrastructure(error)


def test_an_error_that_refers_to_itself_ends_the_search() -> None:
    error = ValueError("x")
    error.__context__ = RuntimeError("y")
    error.__context__.__cause__ = error
    assert not is_infrastructure(error)


def test_whatever_python_can_say_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = tmp_path / "attempts" / "1"
    attempt.mkdir(parents=True)

    def full(*_: object) -> None:
        raise FULL

    monkeypatch.setattr("training.driver._train_and_export", full)
    assert main(attempt, "/nowhere") == INTERRUPTED
    said = json.loads((attempt / "driver.json").read_text())
    assert said == {"outcome": "interrupted", "reason": "OSError: [Errno 28] No space left on device"}


def diverged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finite: set[int]) -> dict[str, object]:
    """What a driver says whose training ends with NaN, when only these checkpoints hold finite weights."""
    attempt = tmp_path / "attempts" / "1"
    attempt.mkdir(parents=True)
    for step in (10, 20, 30):
        (tmp_path / "checkpoints" / f"global_step_{step}").mkdir(parents=True)
    model = {"path": "/model"}
    config = {"trainer": {"default_local_dir": str(tmp_path / "checkpoints")}, "actor_rollout_ref": {"model": model}}
    (tmp_path / "config.yaml").write_text(json.dumps(config))

    def nan(*_: object) -> None:
        raise RayTaskError(RuntimeError("probability tensor contains either `inf`, `nan` or element < 0"))

    def export(checkpoint: Path, reference: Path, folder: Path, served: None) -> None:
        if int(checkpoint.name.rpartition("_")[2]) not in finite:
            raise IncompleteExportError(f"{checkpoint} holds NaN or infinity")
        folder.mkdir()

    monkeypatch.setattr("training.driver._train_and_export", nan)
    monkeypatch.setattr("training.checkpoints.export_model", export)
    assert main(attempt, "/nowhere") == FAILED
    said: dict[str, object] = json.loads((attempt / "driver.json").read_text())
    return said


def test_training_that_diverges_leaves_its_last_finite_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = diverged(tmp_path, monkeypatch, {10, 20})
    assert (said["outcome"], said["failure"], said["export"]) == ("failed", "training", True)
    assert str(said["reason"]).endswith("its last finite checkpoint, step 20, is scored")
    assert (tmp_path / "export").is_dir()


def test_training_that_diverges_before_a_finite_checkpoint_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = diverged(tmp_path, monkeypatch, set())
    assert (said["failure"], said["export"]) == ("training", False)
    assert str(said["reason"]).endswith("no finite checkpoint is left")


def ended(folder: Path, program: str) -> RunResult:
    """The result of an attempt whose driver is another program; in a process of its own, whose children it may end."""
    process = multiprocessing.get_context("fork").Process(target=_attempt, args=(folder, program))
    process.start()
    process.join(60)
    return RunResult.model_validate_json((RunFiles(folder).attempt(1) / "result.json").read_bytes())


def _attempt(folder: Path, program: str) -> None:
    files = RunFiles(folder)
    spec = RunSpec(recipe=load_recipe("tiny-cpu", steps=2), policy=resolve("static"), seed=1, deadline_s=60)
    files.attempt(1).mkdir(parents=True)
    real = subprocess.Popen
    subprocess.Popen = lambda _, **more: real([sys.executable, "-c", program], **more)
    with RunLock(files.lock) as lock:
        Attempt(files, spec, 1, lock).run()


def test_how_training_failed_and_what_it_left_stand_in_the_result(tmp_path: Path) -> None:
    said = {"outcome": "failed", "failure": "training", "export": True, "reason": "loss is NaN"}
    program = f"open({str(tmp_path / 'attempts' / '1' / 'driver.json')!r}, 'w').write({json.dumps(said)!r})"
    result = ended(tmp_path, program)
    assert (result.outcome, result.failure, result.reason, result.export) == (
        "failed",
        "training",
        "loss is NaN",
        "export",
    )
    assert RunFiles(tmp_path).final_result() == result


def test_a_driver_that_ends_without_a_word_was_ended_and_may_be_tried_again(tmp_path: Path) -> None:
    """Ray ends the driver itself, with code 1, when its raylet is killed."""
    result = ended(tmp_path, "import os; print('Raylet is terminated.'); os._exit(1)")
    assert (result.outcome, result.steps_done) == ("interrupted", 0)
    assert "ended by Ray or the system (code 1)" in result.reason
    assert RunFiles(tmp_path).final_result() is None


def test_a_disk_that_takes_nothing_interrupts_a_run_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: Path) -> None:
        raise FULL

    monkeypatch.setattr("training.run.run", full)
    assert run_main([str(tmp_path)]) == 75
    assert capsys.readouterr().err == "error: cannot use the disk: No space left on device\n"


def test_what_a_driver_leaves_in_its_temporary_folder_goes_with_it(tmp_path: Path) -> None:
    program = "import tempfile, pathlib; pathlib.Path('seen').write_text(tempfile.mkdtemp())"
    ended(tmp_path, program)
    assert not Path((tmp_path / "seen").read_text()).exists()
