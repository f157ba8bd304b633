"""What ends an attempt for good and what may be tried again: training that fails, and machines that give out."""

import errno
import json
import multiprocessing
import subprocess
import sys
import types
from pathlib import Path

import pytest

from policies.errors import PolicyError
from policies.registry import resolve
from training.attempt import Attempt
from training.checkpoints import IncompleteExportError
from training.driver import FAILED, INTERRUPTED, main
from training.failures import is_infrastructure
from training.recipe import load_recipe
from training.run import main as run_main
from training.run_files import RunFiles
from training.run_spec import RunResult, RunSpec
from training.support.run_lock import RunLock


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


def driven(
    run: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, **config: object
) -> tuple[int, dict[str, object]]:
    """Exit code and last words of a driver whose training ends with this error, at Ray's start."""

    def init(**_: object) -> None:
        raise error

    monkeypatch.setenv("ADVISOR_FAST_START", "0")
    monkeypatch.setitem(sys.modules, "ray", types.SimpleNamespace(init=init))
    monkeypatch.setitem(sys.modules, "training.verl_plugin.trainer", types.ModuleType("trainer"))
    files = RunFiles(run)
    files.attempt(1).folder.mkdir(parents=True)
    files.config.write_text(json.dumps({"ray_kwargs": {"ray_init": {}}} | config))
    code = main(files.attempt(1).folder, "/nowhere")
    return code, json.loads(files.attempt(1).driver.read_text())


def test_whatever_python_can_say_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = driven(tmp_path, monkeypatch, FULL)
    assert code == INTERRUPTED
    reason = "OSError: [Errno 28] No space left on device"
    assert said == {"outcome": "interrupted", "reason": reason, "fast_start": False}


def test_a_policys_fault_ends_a_run_with_its_one_line_and_is_no_outcome_of_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = PolicyError("policy odd gave weights from nan to nan at step 3; they must be finite and in [0, 3.4e+38]")
    code, said = driven(tmp_path, monkeypatch, fault)
    assert code == FAILED
    assert said == {"outcome": "failed", "reason": str(fault), "fast_start": False}


class Reached(BaseException):
    """Ray would start now."""


@pytest.mark.parametrize(("switch", "python"), [("", "fork it"), ("0", None), ("off", None), ("Yes", "fork it")])
def test_switched_off_ray_starts_plain_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: str, python: str | None
) -> None:
    asked: list[dict[str, object]] = []

    def init(**arguments: dict[str, object]) -> None:
        asked.append(arguments["runtime_env"])
        raise Reached

    attempt = tmp_path / "attempts" / "1"
    attempt.mkdir(parents=True)
    (tmp_path / "config.yaml").write_text("ray_kwargs: {ray_init: {}}")
    monkeypatch.setenv("ADVISOR_FAST_START", switch)
    monkeypatch.setitem(sys.modules, "ray", types.SimpleNamespace(init=init))
    monkeypatch.setitem(sys.modules, "training.verl_plugin.trainer", types.ModuleType("trainer"))
    monkeypatch.setattr("training.fast_start.load_libraries", lambda: None)
    monkeypatch.setattr("training.fast_start.ForkServer.start", lambda address: ["fork", "it"])
    main(attempt, str(tmp_path))
    assert asked[0].get("py_executable") == python
    assert json.loads((attempt / "driver.json").read_text())["fast_start"] is (python is not None)


def diverged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finite: set[int]) -> dict[str, object]:
    """What a driver says whose training ends with NaN, when only these checkpoints hold finite weights."""
    for step in (10, 20, 30):
        RunFiles(tmp_path).checkpoint(step).mkdir(parents=True)
    nan = RayTaskError(RuntimeError("probability tensor contains either `inf`, `nan` or element < 0"))

    def export(checkpoint: Path, reference: Path, folder: Path, served: None) -> None:
        if int(checkpoint.name.rpartition("_")[2]) not in finite:
            raise IncompleteExportError(f"{checkpoint} contains NaN or infinity")
        folder.mkdir()

    monkeypatch.setattr("training.checkpoints.export_model", export)
    code, said = driven(tmp_path, monkeypatch, nan, actor_rollout_ref={"model": {"path": "/model"}})
    assert code == FAILED
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
    return RunResult.model_validate_json(RunFiles(folder).attempt(1).result.read_bytes())


def _attempt(folder: Path, program: str) -> None:
    files = RunFiles(folder)
    spec = RunSpec(recipe=load_recipe("tiny-cpu", steps=2), policy=resolve("static"), seed=1, deadline_s=60)
    files.attempt(1).folder.mkdir(parents=True)
    real = subprocess.Popen
    subprocess.Popen = lambda _, **more: real([sys.executable, "-c", program], **more)
    with RunLock(files.lock) as lock:
        Attempt(files.attempt(1), spec, lock).run()


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
    result = ended(tmp_path, dying("Raylet is terminated."))
    assert (result.outcome, result.steps_done) == ("interrupted", 0)
    assert "ended by Ray or the system (code 1)" in result.reason
    assert RunFiles(tmp_path).final_result() is None


def test_the_last_exception_of_a_log_is_named(tmp_path: Path) -> None:
    said = (
        "step:1\n\x1b[36m(WorkerDict pid=12)\x1b[0m ValueError: first\n"
        "\x1b[36m(TaskRunner pid=13)\x1b[0m torch.cuda.OutOfMemoryError: CUDA out of memory\nbye"
    )
    assert ended(tmp_path / "named", dying(said)).reason.endswith(": torch.cuda.OutOfMemoryError: CUDA out of memory")
    silent = ended(tmp_path / "silent", dying("(raylet) Object store memory is idle."))
    assert silent.reason.endswith(": see 1/train.log")


def dying(words: str) -> str:
    """A program that says this and ends as Ray ends a driver."""
    return f"import os; print({words!r}, flush=True); os._exit(1)"


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
