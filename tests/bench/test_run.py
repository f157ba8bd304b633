"""One real run on the CPU recipe: launch to first step (target 36 s), peak memory (target 6 GiB), seconds a step."""

import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from policies.registry import resolve
from training.recipe import load_recipe
from training.run_files import RunFiles
from training.run_spec import RunSpec


@pytest.mark.bench
@pytest.mark.parametrize("policy", ["baseline", "tscl"])
def test_one_run(policy: str, tmp_path: Path) -> None:
    spec = RunSpec(recipe=load_recipe("tiny-cpu", steps=12), policy=resolve(policy), seed=1, deadline_s=600)
    files = RunFiles(tmp_path)
    files.spec.write_text(spec.model_dump_json())
    subprocess.run([sys.executable, "-m", "training.run", str(tmp_path)], cwd=tmp_path, check=True)
    result = files.final_result()
    assert result is not None
    assert result.first_step_s is not None
    assert result.peak_memory_mb is not None
    steps = [row["timing_s/step"] for row in files.metrics().values()]
    print(  # noqa: T201
        f"\n{policy}: first step after {result.first_step_s:.1f} s, {statistics.median(steps[2:]):.2f} s a step, "
        f"{result.wall_s:.0f} s in all, peak {result.peak_memory_mb / 1024:.2f} GiB"
    )
    assert result.first_step_s < 36
    assert result.peak_memory_mb < 6 * 1024
