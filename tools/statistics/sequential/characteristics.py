"""Operating characteristics of a sequential design: error, power and seeds used, by simulating whole studies.

The simulated studies are judged by `rule.judge`, the code that judges a real one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.decision import DECISIONS as VERDICTS
from tools.statistics.decision import decide
from tools.statistics.power.simulate import covariance_root
from tools.statistics.sequential.model import LookDecision
from tools.statistics.sequential.repeated import Repeated
from tools.statistics.sequential.rule import DECISIONS, judge
from tools.statistics.verdict_model import OverallVerdict

STUDIES = 20_000
_BATCH = 4_000_000
"""Maximum number of normal deviates in memory."""


class Characteristics(NamedTuple):
    """Operating characteristics, estimated from `studies` simulated studies."""

    studies: int
    shares: dict[LookDecision, float]
    """Final decision -> share of the studies."""
    verdicts: dict[OverallVerdict, float]
    """Verdict from the repeated intervals at the end -> share of the studies."""
    better: float
    worse: float
    """Shares with efficacy in each direction."""
    mean_n: float
    """Mean number of pairs used."""
    mean_n_error: float
    """Monte-Carlo error of `mean_n`."""
    ended: dict[int, float]
    """Number of pairs -> share of the studies that ended there."""

    def share_error(self, share: float) -> float:
        """Returns the Monte-Carlo error of a share of the studies."""
        return float(np.sqrt(share * (1.0 - share) / self.studies))


def characteristics(
    design: SequentialDesign,
    effects: NDArray[np.floating[Any]],
    covariance: NDArray[np.floating[Any]],
    alpha: float,
    rng: np.random.Generator,
    *,
    sesoi: ArrayLike | None = None,
    studies: int = STUDIES,
) -> Characteristics:
    """Simulates `studies` studies of normal pairs until they stop.

    effects: (S,) true differences; covariance: (S, S) of one pair's differences, positive semidefinite; alpha: of one
    comparison; sesoi: a number or (S,), None for a study that never stops for equivalence.
    """
    margins = np.zeros(len(effects)) if sesoi is None else np.asarray(sesoi, dtype=np.float64)
    root = covariance_root(covariance)
    size = max(1, _BATCH // (design.n_max * len(effects)))
    parts = []
    for start in range(0, studies, size):
        shape = (min(size, studies - start), design.n_max, root.shape[1])
        parts.append(_run(rng.standard_normal(shape) @ root.T + effects, design, alpha, margins))
    ended = _Ended(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    shares = np.bincount(ended.code, minlength=len(DECISIONS)) / studies
    return Characteristics(
        studies,
        {name: float(share) for name, share in zip(DECISIONS, shares, strict=True) if name != "go_on"},
        _verdicts(ended, design, alpha, margins),
        float(np.mean(ended.direction > 0)),
        float(np.mean(ended.direction < 0)),
        float(ended.n.mean()),
        float(ended.n.std(ddof=1) / studies**0.5),
        {n: float(np.mean(ended.n == n)) for n in design.looks},
    )


class _Ended(NamedTuple):
    """Studies (N,) at their last look; means and errors (N, S)."""

    code: NDArray[np.int64]
    direction: NDArray[np.int64]
    n: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]


def _run(draws: NDArray[np.float64], design: SequentialDesign, alpha: float, margins: NDArray[np.float64]) -> _Ended:
    """Takes looks at studies (N, n_max, S) until each has stopped."""
    code, direction, stopped_at = (np.zeros(len(draws), dtype=np.int64) for _ in range(3))
    last_means, last_errors = np.zeros((2, len(draws), draws.shape[-1]))
    going = np.arange(len(draws))
    # Sums of squares around the first pair lose no digits to a large mean.
    shifted = draws - draws[:, :1]
    sums, squares = shifted[:, : design.n_min - 1].sum(axis=1), (shifted[:, : design.n_min - 1] ** 2).sum(axis=1)
    for n in design.looks:
        sums, squares = sums + shifted[going, n - 1], squares + shifted[going, n - 1] ** 2
        means, errors = draws[going, 0] + sums / n, np.sqrt((squares - sums**2 / n) / (n - 1) / n)
        judged = judge(means, errors, n, design, alpha, margins)
        stops = judged.code != DECISIONS.index("go_on")
        ended = going[stops]
        code[ended], direction[ended], stopped_at[ended] = judged.code[stops], judged.direction[stops], n
        last_means[ended], last_errors[ended] = means[stops], errors[stops]
        going, sums, squares = going[~stops], sums[~stops], squares[~stops]
    return _Ended(code, direction, stopped_at, last_means, last_errors)


def _verdicts(
    ended: _Ended, design: SequentialDesign, alpha: float, margins: NDArray[np.float64]
) -> dict[OverallVerdict, float]:
    """Share of each verdict, from the repeated intervals at the last look."""
    counts = np.zeros(len(VERDICTS))
    for n in design.looks:
        here = ended.n == n
        found = decide(ended.means[here], ended.errors[here], n, 1.0 - alpha, 1, margins, Repeated(design))
        counts += np.bincount(found.code, minlength=len(VERDICTS))
    return {name: float(count / len(ended.n)) for name, count in zip(VERDICTS, counts, strict=True)}
