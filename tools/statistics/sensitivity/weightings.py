"""Under which weightings of the benchmarks, beyond the summaries, does the interval exclude zero?

The interval is the unadjusted one, of a sequential plan the repeated one of the look. A share of weightings is neither
a probability nor an error rate.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.paired import SMALLEST_SD, Critical, fixed, standard_deviation
from tools.statistics.sensitivity.best_weighting import best_weighting

WeightingKind = Literal["domains", "subsets", "benchmarks"]


class WeightDraws(NamedTuple):
    """Weightings of B benchmarks or G domains, one per column, non-negative and summing to 1."""

    benchmarks: tuple[str, ...]
    inside_domains: NDArray[np.float64] | None
    """(B, G) equal weights within each domain; None for the reason in `without_domains`."""
    by_domain: NDArray[np.float64] | None
    """(G, K) Dirichlet(1) over the domains; over the benchmarks that is `inside_domains @ by_domain`."""
    subsets: NDArray[np.float64]
    """(B, K) equal weights on a non-empty subset: all of them up to `EXACT` benchmarks, else uniformly drawn ones."""
    by_benchmark: NDArray[np.float64]
    """(B, K) Dirichlet(1) over the benchmarks."""
    without_domains: str
    """Why there is no weighting over domains; empty if there is."""


_NO_SPREAD = 1e-6
"""Share of the largest SD of a benchmark that remains by rounding if weights cancel all spread."""
_NO_WEIGHT = 1e-6


class WeightingShares(StrictModel):
    """Shares of one kind of weightings, which add up to at most 1."""

    kind: WeightingKind
    weightings: int
    exact: bool
    """Whether these are all weightings of this kind, not a random sample."""
    above: float
    """Share whose interval is above zero, in favour of the treatment."""
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
    """None if the differences are equal in all seeds: such an interval has no width and no meaning."""


class Weightings(StrictModel):
    """Of one comparison; without shares and named weightings where n < 2 or the plan has no interval at n."""

    n: int
    confidence: float
    benchmarks: int
    shares: tuple[WeightingShares, ...] = ()
    without_domains: str = ""
    """Why the weightings over domains are left out; empty if they are not."""
    least_favourable: NamedWeighting | None = None
    """The weighting with the lowest lower limit; always a single benchmark, because the limit is concave."""
    most_favourable: NamedWeighting | None = None
    """The weighting with the highest lower limit; selected after the fact."""
    most_adverse: NamedWeighting | None = None
    """The weighting with the lowest upper limit; also selected after the fact, in the other direction."""


def weightings(pairs: PairedScores, draws: WeightDraws, confidence: float, critical: Critical = fixed) -> Weightings:
    """Reads the pairs, (n, B) scores on `draws.benchmarks` in that order, under all weightings.

    critical: as for the verdict.
    """
    differences = pairs.treatment - pairs.control
    n, size = differences.shape
    reach = critical(n, confidence) if n > 1 else np.inf
    if not np.isfinite(reach):
        return Weightings(n=n, confidence=confidence, benchmarks=size, without_domains=draws.without_domains)
    limits = differences.mean(axis=0) - reach * differences.std(axis=0, ddof=1) / n**0.5
    lowest = np.eye(size)[int(limits.argmin())]
    return Weightings(
        n=n,
        confidence=confidence,
        benchmarks=size,
        shares=_all_shares(differences, draws, reach),
        without_domains=draws.without_domains,
        least_favourable=_named(differences, lowest, draws.benchmarks, reach),
        most_favourable=_named(differences, best_weighting(differences, reach), draws.benchmarks, reach),
        most_adverse=_named(differences, best_weighting(-differences, reach), draws.benchmarks, reach),
    )


def _all_shares(differences: NDArray[np.float64], draws: WeightDraws, reach: float) -> tuple[WeightingShares, ...]:
    exact = draws.subsets.shape[1] == 2 ** differences.shape[1] - 1
    shares = [
        _shares("subsets", differences, draws.subsets, exact, reach),
        _shares("benchmarks", differences, draws.by_benchmark, False, reach),
    ]
    if draws.inside_domains is not None and draws.by_domain is not None:
        of_domains = differences @ draws.inside_domains
        shares.insert(0, _shares("domains", of_domains, draws.by_domain, False, reach))
    return tuple(shares)


def _shares(
    kind: WeightingKind,
    differences: NDArray[np.float64],
    weights: NDArray[np.float64],
    exact: bool,
    reach: float,
) -> WeightingShares:
    n, count = len(differences), weights.shape[1]
    means = differences.mean(axis=0)
    residuals = (differences - means) @ weights
    sd = np.sqrt(np.einsum("nk,nk->k", residuals, residuals) / (n - 1))
    weighted = means @ weights
    half = reach / n**0.5 * sd
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
    differences: NDArray[np.float64], weights: NDArray[np.float64], benchmarks: tuple[str, ...], reach: float
) -> NamedWeighting:
    values = differences @ weights
    sd, mean = standard_deviation(values), float(values.mean())
    half = reach * (sd / len(values) ** 0.5)
    largest = float(differences.std(axis=0, ddof=1).max())
    flat = not sd or sd <= _NO_SPREAD * largest
    return NamedWeighting(
        weights={name: float(weight) for name, weight in zip(benchmarks, weights, strict=True) if weight > _NO_WEIGHT},
        mean=float(differences.mean(axis=0) @ weights),
        low=None if flat else mean - half,
        high=None if flat else mean + half,
    )


DRAWS = 10_000
EXACT = 12
"""Up to this many benchmarks, every equal-weight subset is used: 4,095 at twelve."""


def draw_weights(domains: Mapping[str, str], generator: np.random.Generator, draws: int = DRAWS) -> WeightDraws:
    """Draws weightings for B >= 1 benchmarks, given as benchmark -> domain (empty: none)."""
    reason = _without_domains(domains)
    inside = None if reason else _inside_domains(tuple(domains.values()))
    return WeightDraws(
        benchmarks=tuple(domains),
        inside_domains=inside,
        by_domain=None if inside is None else _dirichlet(inside.shape[1], generator, draws),
        subsets=_subsets(len(domains), generator, draws),
        by_benchmark=_dirichlet(len(domains), generator, draws),
        without_domains=reason,
    )


def _without_domains(domains: Mapping[str, str]) -> str:
    nameless = sum(not domain for domain in domains.values())
    if nameless == len(domains):
        return "the benchmarks have no domains"
    if nameless:
        return f"{nameless} of the {len(domains)} benchmarks have no domain"
    return "all benchmarks are of one domain" if len(set(domains.values())) == 1 else ""


def _dirichlet(size: int, generator: np.random.Generator, draws: int) -> NDArray[np.float64]:
    """(size, draws), uniform over the simplex: independent exponentials, normalised."""
    drawn = generator.standard_exponential((size, draws))
    return np.asarray(drawn / drawn.sum(axis=0))


def _inside_domains(of: tuple[str, ...]) -> NDArray[np.float64]:
    names = tuple(dict.fromkeys(of))
    member = np.array([[name == domain for name in names] for domain in of], dtype=np.float64)
    return np.asarray(member / member.sum(axis=0))


def _subsets(size: int, generator: np.random.Generator, draws: int) -> NDArray[np.float64]:
    if size <= EXACT:
        codes = np.arange(1, 2**size)
        chosen = (codes[None, :] >> np.arange(size)[:, None] & 1).astype(np.float64)
    else:
        chosen = generator.integers(0, 2, (size, draws)).astype(np.float64)
        while len(empty := np.flatnonzero(chosen.sum(axis=0) == 0)):
            chosen[:, empty] = generator.integers(0, 2, (size, len(empty)))
    return np.asarray(chosen / chosen.sum(axis=0))
