"""The process that drives verl: `python -m training.driver ATTEMPT_DIR RAY_TEMP`, started by `training.run`.

It runs verl's own task runner in this process (stock verl uses another process, which imports everything once more),
starts Ray during the imports, forks Ray's workers if possible (`training.fast_start`), then exports and checks the
model. It reads RUN_DIR/config.yaml, writes ATTEMPT_DIR/driver.json, and exits without Ray's slow shutdown:
`training.run` ends the remaining processes.
"""

import gc
import json
import os
import shlex
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policies.errors import AdvisorError
from training.failures import is_infrastructure, is_training
from training.fast_start import is_wanted, worker_python
from training.run_files import AttemptFiles, RunFiles, write_atomically

if TYPE_CHECKING:
    from omegaconf import DictConfig

FAILED, INTERRUPTED = 1, 75


def ease_garbage_collection() -> None:
    """Reduces garbage collection during imports: 30 % less import time. Ray calls it first in every worker process."""
    gc.set_threshold(100_000, 50, 100)


def main(folder: Path, ray_temp: str) -> int:
    """Trains, exports, and says how it went; the exit code of the process.

    Every outcome that Python can still handle is written: a driver without one was ended by the system or by Ray.
    """
    ease_garbage_collection()
    attempt = AttemptFiles(folder)
    outcome: dict[str, Any] = {"outcome": "done", "reason": ""}
    try:
        outcome["fast_start"] = is_wanted()
        outcome["export"] = _train_and_export(attempt.run, ray_temp)
    except BaseException as error:
        if not isinstance(error, AdvisorError):
            traceback.print_exc()
        outcome |= _how_it_ended(error, attempt.run)
    write_atomically(attempt.driver, json.dumps(outcome))
    return {"done": 0, "failed": FAILED}.get(outcome["outcome"], INTERRUPTED)


def _how_it_ended(error: BaseException, files: RunFiles) -> dict[str, Any]:
    """An error as outcome and reason; where training itself failed, with the last finite checkpoint exported."""
    said = str(error) if isinstance(error, AdvisorError) else f"{type(error).__name__}: {_first_line(error)}"
    if is_infrastructure(error):
        return {"outcome": "interrupted", "reason": said}
    if not is_training(error):
        return {"outcome": "failed", "reason": said}
    step = _rescue(files)
    kept = "no finite checkpoint is left" if step is None else f"its last finite checkpoint, step {step}, is scored"
    return {"outcome": "failed", "failure": "training", "export": step is not None, "reason": f"{said}; {kept}"}


def _rescue(files: RunFiles) -> int | None:
    """Exports the newest checkpoint whose tensors are all finite; its step, None where there is none."""
    from omegaconf import OmegaConf

    from training.checkpoints import IncompleteExportError, export_model

    if not files.config.is_file():
        return None
    config = OmegaConf.load(files.config)
    for step in reversed(files.checkpoint_steps()):
        with suppress(IncompleteExportError, OSError, RuntimeError, ValueError):  # damaged: the one before it
            export_model(files.checkpoint(step), Path(config.actor_rollout_ref.model.path), files.export, None)
            return step
    return None


def _train_and_export(files: RunFiles, ray_temp: str) -> dict[str, Any]:
    python = worker_python(Path(ray_temp) / "fork.sock")
    from omegaconf import OmegaConf

    config = OmegaConf.load(files.config)
    OmegaConf.set_struct(config, True)
    task_runner = _start(config, ray_temp, python)
    task_runner.run(config)
    return _export(config, task_runner.trainer, files)


def _start(config: "DictConfig", ray_temp: str, python: list[str] | None) -> Any:
    """Returns verl's task runner, with Ray running and our trainer registered."""
    import ray
    from omegaconf import OmegaConf

    failure: list[BaseException] = []
    imports = threading.Thread(target=_import_verl, args=(failure,), name="import-verl")
    imports.start()
    arguments = OmegaConf.to_container(config.ray_kwargs.ray_init, resolve=True)
    assert isinstance(arguments, dict)
    arguments["runtime_env"] = {"worker_process_setup_hook": "training.driver.ease_garbage_collection"}
    if python is not None:
        arguments["runtime_env"]["py_executable"] = shlex.join(python)
    try:
        ray.init(**arguments, _temp_dir=ray_temp, log_to_driver=True)
    except (ConnectionError, TimeoutError, RuntimeError):  # under heavy load the first try can time out
        traceback.print_exc()
        ray.shutdown()
        try:
            ray.init(**arguments, _temp_dir=ray_temp, log_to_driver=True)
        except RuntimeError as error:
            raise ConnectionError(f"Ray does not start: {_first_line(error)}") from error
    imports.join()
    if failure:
        raise failure[0]
    from verl.trainer.main_ppo import TaskRunnerV1
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import validate_config

    validate_config(config=config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
    return TaskRunnerV1.__ray_metadata__.modified_class()


def _import_verl(failure: list[BaseException]) -> None:
    try:
        import training.verl_plugin.trainer  # noqa: F401 - registers our trainer
    except BaseException as error:
        failure.append(error)


def _export(config: "DictConfig", trainer: Any, files: RunFiles) -> dict[str, Any]:
    import ray

    from training.checkpoints import export_model

    served = None
    if config.actor_rollout_ref.rollout.name == "transformers_cpu":
        served = ray.get(trainer.llm_server_manager.server_handles[0].digest.remote())
    last = files.checkpoint(config.trainer.total_training_steps)
    return export_model(last, Path(config.actor_rollout_ref.model.path), files.export, served)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""


def _end_with_parent() -> None:
    """On Linux, lets the kernel end this process when `training.run` dies, for whatever reason."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)


if __name__ == "__main__":
    _end_with_parent()
    code = main(Path(sys.argv[1]), sys.argv[2])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
