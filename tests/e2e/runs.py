"""Real runs on the CPU recipe, for the tests that look at them."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from policies.base import PolicySpec
from training.recipe import Recipe, load_recipe
from training.run_files import RunFiles
from training.run_spec import RunSpec

NOT_COMPUTED = ("timing", "perf/", "time_per")
"""Metrics that measure the machine, not the run."""


def environment() -> dict[str, str]:
    """Of a person's shell, with a key that must not be found anywhere afterwards."""
    return os.environ | {"OMP_NUM_THREADS": "1", "OPENAI_API_KEY": "canary-5d1c", "ADVISOR_MODEL": "", "NO_COLOR": "1"}


def short_recipe(steps: int, **changes: object) -> Recipe:
    """The CPU recipe with few steps."""
    recipe = load_recipe("tiny-cpu", steps=steps)
    return Recipe.model_validate(recipe.model_dump() | {"checkpoint_every": steps} | changes)


def prepared(folder: Path, recipe: Recipe, policy: PolicySpec, seed: int = 1) -> Path:
    """A run directory that is ready to start."""
    folder.mkdir(parents=True, exist_ok=True)
    spec = RunSpec(recipe=recipe, policy=policy, seed=seed, deadline_s=900)
    (folder / "run.json").write_text(spec.model_dump_json())
    return folder


def trained(folder: Path, python: str = sys.executable) -> RunFiles:
    """Runs it to its end."""
    command = [python, "-m", "training.run", str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stderr[-2000:]}{(folder / 'attempts/1/train.log').read_text()[-3000:]}"
    return RunFiles(folder)


def killed_and_resumed(folder: Path, after_step: int, python: str = sys.executable) -> RunFiles:
    """Starts it, ends the attempt with SIGKILL once that step is done, and runs it to its end."""
    command = [python, "-m", "training.run", str(folder)]
    first = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while max(RunFiles(folder).metrics(), default=0) < after_step:
        assert first.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    second = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    while second.returncode == 2:  # the killed run's own processes take a moment to end
        assert time.monotonic() < deadline
        time.sleep(0.2)
        second = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    assert [attempt.number for attempt in RunFiles(folder).attempts()] == [1, 2]
    return RunFiles(folder)


def computed(folder: Path, without: tuple[str, ...] = ()) -> dict[int, Mapping[str, object]]:
    """A run's metrics without those that measure the machine, and without others that are named."""
    left_out = (*NOT_COMPUTED, *without)
    return {
        step: {name: value for name, value in row.items() if not any(part in name for part in left_out)}
        for step, row in RunFiles(folder).metrics().items()
    }


def exported_sha256(folder: Path) -> str:
    """Of the trained weights."""
    return hashlib.sha256((folder / "export" / "model.safetensors").read_bytes()).hexdigest()


def first_step(folder: Path, attempt: int) -> int:
    """The step with which an attempt began."""
    lines = (folder / f"attempts/{attempt}/metrics.jsonl").read_text().splitlines()
    return min(json.loads(line)["step"] for line in lines)
