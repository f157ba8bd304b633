"""All weightings of the benchmarks, not only the summaries: under which of them does the interval exclude zero?

The interval is the unadjusted paired-t one. A share of weightings is neither a probability nor an error rate.
"""

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, critical_t, paired_t
from tools.statistics.sensitivity.best_weighting import best_weighting
from tools.statistics.sensitivity.weight_draws import WeightDraws, WeightingKind

_NO_SPREAD = 1e-6
"""Of the largest SD of a benchmark: weights that cancel all spread leave this much by rounding."""
_NO_WEIGHT = 1e-6


class WeightingShares(StrictModel):
    """One kind of weightings; the shares of them add up to at most 1."""

    kind: WeightingKind
    weightings: int
    exact: bool
    """All there are of this kind, not a random draw of them."""
    above: float
    """Share whose interval lies above zero: for the treatment."""
    below: float
    not_estimable: float
    """Share without an interval, because the differences are equal in all seeds."""


class NamedWeighting(StrictModel):
    """One weighting with its interval."""

    weights: dict[str, float]
    """Only the positive ones."""
    mean: float
    low: float | None
    high: float | None
    """None where the differences are equal in all seeds: such an interval has no width and says nothing."""


class Weightings(StrictModel):
    """Of one comparison; without shares and named weightings where n < 2."""

    n: int
    confidence: float
    benchmarks: int
    shares: tuple[WeightingShares, ...] = ()
    without_domains: str = ""
    """Why the weightings over domains are left out; empty where they are not."""
    least_favourable: NamedWeighting | None = None
    """The lowest lower limit of all weightings; always a single benchmark, because the limit is concave."""
    most_favourable: NamedWeighting | None = None
    """The highest lower limit: chosen after the fact."""
    most_adverse: NamedWeighting | None = None
    """The lowest upper limit: chosen after the fact too, from the other side."""


def weightings(pairs: PairedScores, draws: WeightDraws, confidence: float) -> Weightings:
    """Reads the pairs, (n, B) scores on `draws.benchmarks` in that order, under all weightings."""
    differences = pairs.treatment - pairs.control
    n, size = differences.shape
    if n < 2:
        return Weightings(n=n, confidence=confidence, benchmarks=size, without_domains=draws.without_domains)
    limits = differences.mean(axis=0) - critical_t(n - 1, confidence) * differences.std(axis=0, ddof=1) / n**0.5
    lowest = np.eye(size)[int(limits.argmin())]
    return Weightings(
        n=n,
        confidence=confidence,
        benchmarks=size,
        shares=_all_shares(differences, draws, confidence),
        without_domains=draws.without_domains,
        least_favourable=_named(differences, lowest, draws.benchmarks, confidence),
        most_favourable=_named(differences, best_weighting(differences, confidence), draws.benchmarks, confidence),
        most_adverse=_named(differences, best_weighting(-differences, confidence), draws.benchmarks, confidence),
    )


def _all_shares(differences: NDArray[np.float64], draws: WeightDraws, confidence: float) -> tuple[WeightingShares, ...]:
    exact = draws.subsets.shape[1] == 2 ** differences.shape[1] - 1
    shares = [
        _shares("subsets", differences, draws.subsets, exact, confidence),
        _shares("benchmarks", differences, draws.by_benchmark, False, confidence),
    ]
    if draws.inside_domains is not None and draws.by_domain is not None:
        of_domains = differences @ draws.inside_domains
        shares.insert(0, _shares("domains", of_domains, draws.by_domain, False, confidence))
    return tuple(shares)


def _shares(
    kind: WeightingKind,
    differences: NDArray[np.float64],
    weights: NDArray[np.float64],
    exact: bool,
    confidence: float,
) -> WeightingShares:
    n, count = len(differences), weights.shape[1]
    means = differences.mean(axis=0)
    residuals = (differences - means) @ weights
    sd = np.sqrt(np.einsum("nk,nk->k", residuals, residuals) / (n - 1))
    weighted = means @ weights
    half = critical_t(n - 1, confidence) / n**0.5 * sd
    varies = sd > SMALLEST_SD
    return WeightingShares(
        kind=kind,
        weightings=count,
        exact=exact,
        above=int(np.count_nonzero(varies & (weighted > half))) / count,
        below=int(np.count_nonzero(varies & (weighted < -half))) / count,
        not_estimable=int(np.count_nonzero(~varies)) / count,
    )


def _named(
    differences: NDArray[np.float64], weights: NDArray[np.float64], benchmarks: tuple[str, ...], confidence: float
) -> NamedWeighting:
    interval = paired_t(differences @ weights, confidence)
    largest = float(differences.std(axis=0, ddof=1).max())
    flat = not interval.sd or interval.sd <= _NO_SPREAD * largest
    return NamedWeighting(
        weights={name: float(weight) for name, weight in zip(benchmarks, weights, strict=True) if weight > _NO_WEIGHT},
        mean=float(differences.mean(axis=0) @ weights),
        low=None if flat else interval.low,
        high=None if flat else interval.high,
    )
