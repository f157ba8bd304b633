"""Simulates whole studies to estimate the probability of each verdict, given the covariance of the summaries."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tools.statistics.decision import DECISIONS, decide
from tools.statistics.paired import critical_t
from tools.statistics.verdict_model import OverallVerdict

DRAWS = 20_000
_BATCH = 2_000_000
"""Maximum number of normal deviates in memory."""


class Simulated(NamedTuple):
    """Results of simulated studies."""

    verdicts: dict[OverallVerdict, float]
    """Probability of each verdict that a valid, delivered, estimable study can get."""
    supported: float
    """Probability of `supported` in the direction of the true effects (in either direction if they are 0)."""

    def standard_error(self, draws: int = DRAWS) -> float:
        """Returns the Monte-Carlo error of `supported`."""
        return float(np.sqrt(self.supported * (1.0 - self.supported) / draws))


class Sample(NamedTuple):
    """Simulated studies of n >= 2 pairs each, without the true effect, which only shifts the means."""

    n: int
    means: NDArray[np.float64]
    """(draws, S)."""
    sds: NDArray[np.float64]
    """(draws, S), n - 1 in the denominator."""

    def scaled(self, factor: float) -> "Sample":
        """Returns the same studies with the spread of every difference multiplied by `factor`."""
        return Sample(self.n, self.means * factor, self.sds * factor)

    def judged(
        self, effects: NDArray[np.floating[Any]], alpha: float, sesoi: ArrayLike, family_size: int = 1
    ) -> Simulated:
        """Judges every study by the same rule as a real one.

        effects: (S,) true differences; alpha: of the whole family of `family_size` treatments; sesoi: a number or (S,).
        """
        errors = self.sds / self.n**0.5
        decision = decide(self.means + effects, errors, self.n, 1.0 - alpha, family_size, sesoi)
        counts = np.bincount(decision.code, minlength=len(DECISIONS))
        sign = int(np.sign(effects.sum()))
        right = decision.direction == sign if sign else decision.direction != 0
        draws = len(self.means)
        return Simulated(
            {name: int(count) / draws for name, count in zip(DECISIONS, counts, strict=True)}, float(right.mean())
        )

    def detectable(self, alpha: float, wanted: float) -> float:
        """Returns the effect, the same under every summary, whose P(`supported`) is `wanted`; alpha: of one comparison.

        Each study is supported from the effect that lifts its worst summary's interval above zero; the result is the
        quantile of those effects.
        """
        needed = (critical_t(self.n - 1, 1.0 - alpha) * self.sds / self.n**0.5 - self.means).max(axis=1)
        return float(np.quantile(needed, wanted, method="higher"))


def simulate(
    n: int,
    effects: NDArray[np.floating[Any]],
    covariance: NDArray[np.floating[Any]],
    alpha: float,
    sesoi: float,
    rng: np.random.Generator,
    *,
    family_size: int = 1,
    draws: int = DRAWS,
) -> Simulated:
    """Judges `draws` studies of n >= 2 normal pairs.

    effects: (S,) true differences; covariance: (S, S) of one pair's differences, may be singular; alpha: of the whole
    family of `family_size` treatments.
    """
    return sample(n, covariance, rng, draws).judged(effects, alpha, sesoi, family_size)


def sample(n: int, covariance: NDArray[np.floating[Any]], rng: np.random.Generator, draws: int = DRAWS) -> Sample:
    """Draws `draws` studies of n >= 2 normal pairs without any true difference.

    Independently, mean ~ N(0, covariance / n) and (n - 1) var ~ the diagonal of a Wishart matrix, which is drawn by
    Bartlett's decomposition if n - 1 exceeds the rank, so that the cost does not grow with n, and otherwise as the sum
    over n - 1 normal rows.
    """
    root = covariance_root(covariance)
    rank = root.shape[1]
    means = rng.standard_normal((draws, rank)) @ root.T / n**0.5
    df = n - 1
    squares = np.empty_like(means)
    batch = max(1, _BATCH // (rank * max(rank, 1)))
    for start in range(0, draws, batch):
        size = min(batch, draws - start)
        rows = _bartlett(size, df, rank, rng) if df > rank else rng.standard_normal((size, df, rank))
        scaled = (rows.reshape(-1, rank) @ root.T).reshape(size, -1, len(root))
        squares[start : start + size] = np.einsum("ijk,ijk->ik", scaled, scaled)
    return Sample(n, means, np.sqrt(squares / df))


def _bartlett(size: int, df: int, rank: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(size, rank, rank) upper triangular R with R'R ~ Wishart(df, identity)."""
    factors = np.zeros((size, rank, rank))
    above = np.triu_indices(rank, 1)
    factors[:, above[0], above[1]] = rng.standard_normal((size, len(above[0])))
    diagonal = np.arange(rank)
    factors[:, diagonal, diagonal] = np.sqrt(rng.chisquare(df - diagonal, (size, rank)))
    return factors


def covariance_root(covariance: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Returns the (S, rank) root of a positive semidefinite matrix. Raises ValueError for a negative eigenvalue."""
    values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=np.float64))
    if values[0] < -1e-4 * abs(values[-1]):
        raise ValueError(f"covariance is not positive semidefinite: smallest eigenvalue {values[0]:.3g}")
    # A correlation matrix rounded to six decimals has eigenvalues that are zero up to rounding.
    kept = values > 1e-5 * values[-1]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]), dtype=np.float64)
