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
from training.driver import INTERRUPTED, main
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
