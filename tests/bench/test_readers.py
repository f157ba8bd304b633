"""Speed and memory of reading scores: `make bench`.

Targets: 100,000 rows of a long table in 3 s; 800,000 scores as columns to a ScoreTable in 2 s and 400 MiB more; a
comparison of 20 seeds x 40 benchmarks paired in 100 microseconds and checked for faults and notes in 2 ms.
"""

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from tools.scores import integrity
from tools.scores.readers.read import read_scores
from tools.scores.table import ScoreTable

ARMS, SEEDS, BENCHMARKS = 1000, 20, 40
COLUMNS = f"""
import json, resource, time
import numpy as np
from tools.scores.table import ScoreTable
rows = {ARMS} * {SEEDS} * {BENCHMARKS}
arm = [f"arm{{row // {SEEDS * BENCHMARKS}}}" for row in range(rows)]
seed = [row // {BENCHMARKS} % {SEEDS} for row in range(rows)]
benchmark = [f"benchmark{{row % {BENCHMARKS}}}" for row in range(rows)]
score = np.random.default_rng(1).uniform(20, 80, rows)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.perf_counter()
table = ScoreTable.from_columns(arm=arm, seed=seed, benchmark=benchmark, score=score, questions=200, harness="h")
seconds = time.perf_counter() - began
mebibytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(json.dumps([seconds, mebibytes, list(table.scores.shape)]))
"""

pytestmark = pytest.mark.bench


def test_800_000_scores_as_columns():
    done = subprocess.run([sys.executable, "-c", COLUMNS], capture_output=True, text=True, check=True)
    seconds, mebibytes, shape = json.loads(done.stdout)
    print(f"\n800,000 scores as columns: {seconds:.2f} s, {mebibytes:.0f} MiB more")  # noqa: T201
    assert shape == [ARMS, SEEDS, BENCHMARKS]
    assert seconds < 2
    assert mebibytes < 400


def test_a_long_table_of_100_000_rows(tmp_path):
    lines = ["arm,seed,task,score,n,model"]
    lines += [
        f"arm{row // 800},{row // 40 % 20},benchmark{row % 40},{20 + row % 997 / 20:.3f},200,m"
        for row in range(100_000)
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    began = time.perf_counter()
    book = read_scores([tmp_path / "t.csv"])
    seconds = time.perf_counter() - began
    print(f"\n100,000 rows of a long table: {seconds:.2f} s")  # noqa: T201
    assert book.cells[0].table.scores.shape == (125, 20, 40)
    assert seconds < 3


def test_one_comparison():
    rng = np.random.default_rng(1)
    shape = (200, SEEDS, BENCHMARKS)
    at = [index.ravel().tolist() for index in np.indices(shape)]
    table = ScoreTable.from_columns(
        arm=[f"arm{code}" for code in at[0]],
        seed=at[1],
        benchmark=[f"benchmark{code}" for code in at[2]],
        score=rng.uniform(20, 80, len(at[0])),
        questions=200,
    )
    pairs = [(arm, "arm0") for arm in table.arms[1:]]
    began = time.perf_counter()
    for treatment, control in pairs:
        table.paired(treatment, control, table.benchmarks)
    paired = (time.perf_counter() - began) / len(pairs)
    began = time.perf_counter()
    for both in pairs:
        integrity.faults(table, both, table.benchmarks)
        integrity.notes(table, both, table.benchmarks)
    checked = (time.perf_counter() - began) / len(pairs)
    print(f"\none comparison: paired in {paired * 1e6:.0f} us, checked in {checked * 1e6:.0f} us")  # noqa: T201
    assert paired < 100e-6
    assert checked < 2e-3
