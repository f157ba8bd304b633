"""Small score tables as files, for tests of `analyze`: made-up scores, any arms, seeds, benchmarks and cells."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.tools.report.report_cases import NOISE, SHIFT
from tests.tools.score_tables import DOMAINS

Effects = Mapping[str, float | Sequence[float]]


def wide(
    path: Path,
    arms: Effects,
    *,
    seeds: int = 3,
    spread: float = 1.0,
    benchmarks: Sequence[str] = tuple(DOMAINS),
    cells: Mapping[str, Sequence[str]] | None = None,
    controls: Mapping[str, str] | None = None,
) -> Path:
    """One row a run: arms at their effect around 50, plus fixed noise; `cells`: column -> its values, crossed."""
    cells, made = cells or {}, []
    for at, values in enumerate(_crossed(list(cells.values()))):
        for of, (arm, effect) in enumerate(arms.items()):
            for seed in range(seeds):
                noise = np.resize(np.roll(NOISE[(seed + at) % len(NOISE)], 5 * of), len(benchmarks))
                levels = np.broadcast_to(np.asarray(effect, dtype=float), (len(benchmarks),))
                scores = 50.0 + levels + spread * (noise + SHIFT[(seed + of + at) % len(SHIFT)])
                row = [*values, arm, *([controls[arm]] if controls else []), str(seed + 1)]
                made.append([*row, *(f"{score:.4f}" for score in scores)])
    head = [*cells, "method", *(["control"] if controls else []), "seed", *benchmarks]
    path.write_text("\n".join(",".join(line) for line in [head, *made]) + "\n")
    return path


def _crossed(values: list[Sequence[str]]) -> list[tuple[str, ...]]:
    made: list[tuple[str, ...]] = [()]
    for choices in values:
        made = [(*one, choice) for one in made for choice in choices]
    return made
