"""How often the BCa interval holds the true mean, measured: `python -m tests.calibration.bca_coverage` prints
`bca_coverage.yaml`, from which a report takes what stands beside a BCa interval. Paired t on the same draws for scale.
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tools.statistics.levels import family_confidence
from tools.statistics.paired import critical_t
from tools.statistics.random_streams import rng_for
from tools.statistics.sensitivity.bca import BcaCoverage, Coverage, bca_limits, resamples_for

_PAIRS = (8, 12, 20, 40)
_FAMILIES = (1, 3, 8)
_STUDIES, _RESAMPLES, _BATCH = 10_000, 4_999, 250
_SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]] = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "skewed": lambda rng, size: rng.standard_exponential(size) - 1.0,
    "heavy-tailed": lambda rng, size: rng.standard_t(3, size),
}
"""All of mean 0: normal, exponential, Student's t with 3 degrees of freedom."""


def measure(studies: int, resamples: int) -> BcaCoverage:
    """Simulates `studies` studies of every n and shape (about a minute for 10,000 and 4,999)."""
    levels = [family_confidence(0.95, k) for k in _FAMILIES]
    shares: dict[tuple[int, float], tuple[dict[str, float], dict[str, float]]] = {
        (n, level): ({}, {}) for n in _PAIRS for level in levels
    }
    for n in _PAIRS:
        for shape, draw in _SHAPES.items():
            rng = rng_for("coverage of the BCa interval", f"{shape} {n}")
            hits = np.zeros((2, len(levels)))
            for start in range(0, studies, _BATCH):
                values = draw(rng, (n, min(_BATCH, studies - start)))
                hits += _hits(values, levels, resamples_for(n, rng, resamples))
            for at, level in enumerate(levels):
                shares[n, level][0][shape] = float(hits[0, at] / studies)
                shares[n, level][1][shape] = float(hits[1, at] / studies)
    cells = tuple(
        Coverage(n=n, confidence=round(level, 6), bca=bca, paired_t=t) for (n, level), (bca, t) in shares.items()
    )
    return BcaCoverage(studies=studies, resamples=resamples, cells=cells)


def _hits(values: NDArray[np.float64], levels: list[float], resamples: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2, levels): studies whose BCa, and whose paired t interval, holds 0."""
    n = len(values)
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / n**0.5
    hits = np.zeros((2, len(levels)))
    for at, level in enumerate(levels):
        low, high = bca_limits(values, level, resamples)
        hits[:, at] = ((low <= 0) & (high >= 0)).sum(), (np.abs(mean) <= critical_t(n - 1, level) * error).sum()
    return hits


if __name__ == "__main__":
    import yaml

    found = measure(_STUDIES, _RESAMPLES).model_dump(mode="json")
    sys.stdout.write("# Made by `python -m tests.calibration.bca_coverage`.\n")
    sys.stdout.write(yaml.safe_dump(found, sort_keys=False, default_flow_style=None, width=120))
