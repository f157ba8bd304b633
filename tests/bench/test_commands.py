"""How long a person waits for a light command: `make bench`. Targets: help 0.4 s, plan without an LLM 2.5 s."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ADVISOR = str(Path(sys.executable).with_name("advisor"))


def seconds(*arguments: str, folder: Path, repeats: int = 5) -> list[float]:
    """Wall seconds of `advisor ARGUMENTS`, after one call that warms the file cache."""
    times = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        subprocess.run([ADVISOR, *arguments], cwd=folder, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return times[1:]


@pytest.mark.bench
@pytest.mark.parametrize(
    ("arguments", "target_s"),
    [(("--help",), 0.4), (("plan", "does tscl beat static?", "--no-llm"), 2.5)],
    ids=["help", "plan"],
)
def test_light_commands(arguments: tuple[str, ...], target_s: float, tmp_path: Path) -> None:
    times = seconds(*arguments, folder=tmp_path)
    print(f"\nadvisor {arguments[0]}: median {statistics.median(times):.2f} s, worst {max(times):.2f} s")  # noqa: T201
    assert statistics.median(times) < target_s
