"""Speed and memory of `advisor analyze`: `make bench`. rliable is installed into an environment of its own.

Targets: a small table in 1.5 s from start to end; a table of the shape of the public one (12 cells, 171 runs, 45
comparisons), six summaries and every sensitivity view, in 5 s; 1,000 arms x 20 seeds x 40 benchmarks in 30 s and 2 GiB;
the second one ahead of rliable computing only its stratified-bootstrap intervals of the mean.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from training.benchmarks.catalog import suite

ADVISOR = str(Path(sys.executable).with_name("advisor"))
TWELVE = tuple(row.id for row in suite("tiny-12"))
PUBLIC_SHAPE = (9, 9, *(4,) * 9, 3)
"""Arms of each cell; 57 arms with 3 seeds are 171 runs, one arm of each cell is the control."""
REPETITIONS = 10_000

pytestmark = pytest.mark.bench


class Finished(NamedTuple):
    """A command that ran to its end."""

    seconds: float
    peak_gib: float
    output: str


def run(*command: str) -> Finished:
    """Wall seconds and peak memory of one process."""
    before = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return Finished(time.perf_counter() - before, usage.ru_maxrss / 2**20, output)


def table(path: Path, arms: tuple[int, ...], seeds: int, benchmarks: tuple[str, ...]) -> Path:
    """A wide CSV of scores around 50; the first arm of each cell is `baseline`."""
    rng = np.random.default_rng(11)
    lines = [",".join(("cell", "method", "seed", *benchmarks))]
    for cell, count in enumerate(arms):
        for arm in range(count):
            name = "baseline" if arm == 0 else f"policy{arm}"
            for seed in range(1, seeds + 1):
                scores = np.clip(50 + 3 * rng.standard_normal(len(benchmarks)), 0, 100)
                lines.append(",".join((f"cell{cell}", name, str(seed), *(f"{score:.2f}" for score in scores))))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def say(text: str) -> None:
    print(f"\n{text}")  # noqa: T201


def test_a_small_table(tmp_path: Path) -> None:
    scores = table(tmp_path / "small.csv", (2,), 3, TWELVE)
    run(ADVISOR, "analyze", str(scores), "--json")
    times = sorted(run(ADVISOR, "analyze", str(scores), "--json").seconds for _ in range(5))
    say(f"advisor analyze, one comparison: median {times[2]:.2f} s, worst {times[-1]:.2f} s")
    assert times[2] < 1.5


def test_a_table_of_the_public_shape_with_its_report(tmp_path: Path) -> None:
    scores = table(tmp_path / "public.csv", PUBLIC_SHAPE, 3, TWELVE)
    numbers = run(ADVISOR, "analyze", str(scores), "--json")
    report = run(ADVISOR, "analyze", str(scores), "--out", str(tmp_path / "report"))
    assert len(json.loads(numbers.output)["comparisons"]) == 45
    say(f"45 comparisons x 6 summaries, every view: {numbers.seconds:.2f} s, with report {report.seconds:.2f} s")
    assert numbers.seconds < 5


def test_a_thousand_arms(tmp_path: Path) -> None:
    names = tuple(f"benchmark{number}" for number in range(40))
    scores = table(tmp_path / "large.csv", (1000,), 20, names)
    done = run(ADVISOR, "analyze", str(scores), "--json")
    assert len(json.loads(done.output)["comparisons"]) == 999
    say(f"1,000 arms x 20 seeds x 40 benchmarks: {done.seconds:.1f} s, {done.peak_gib:.2f} GiB")
    assert done.seconds < 30
    assert done.peak_gib < 2


def test_ahead_of_rliable_which_computes_only_its_intervals_of_the_mean(tmp_path: Path) -> None:
    scores = table(tmp_path / "public.csv", PUBLIC_SHAPE, 3, TWELVE)
    python = tmp_path / "rliable" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "rliable", "pandas<3"], check=True, capture_output=True
    )
    script = str(Path(__file__).with_name("rliable_means.py"))
    run(str(python), script, str(scores), "100")
    theirs = run(str(python), script, str(scores), str(REPETITIONS))
    inside = json.loads(theirs.output)
    ours = run(ADVISOR, "analyze", str(scores), "--json")
    say(
        f"rliable, {inside['arms']} intervals of {REPETITIONS:,} repetitions: {theirs.seconds:.1f} s "
        f"({inside['seconds']:.1f} s without imports); advisor analyze, everything: {ours.seconds:.1f} s; "
        f"ratio {theirs.seconds / ours.seconds:.1f}"
    )
    assert ours.seconds < theirs.seconds
