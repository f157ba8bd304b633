"""How long a person waits: `advisor --help` under 0.4 s, `advisor plan QUESTION` under 2.5 s, with a warm cache."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

ADVISOR = str(Path(sys.executable).with_name("advisor"))


@pytest.mark.bench
@pytest.mark.parametrize(
    ("words", "limit_s"),
    [(["--help"], 0.4), (["plan", "does tscl beat static?"], 2.5)],
)
def test_a_command_answers_in_time(tmp_path: Path, words: list[str], limit_s: float) -> None:
    times = []
    for _ in range(4):
        began = time.perf_counter()
        subprocess.run([ADVISOR, *words], cwd=tmp_path, capture_output=True, check=True, timeout=60)
        times.append(time.perf_counter() - began)
    sys.stdout.write(f"advisor {words[0]}: {min(times[1:]):.2f} s (best of three, warm)\n")
    assert min(times[1:]) < limit_s
