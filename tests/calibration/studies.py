"""Simulated studies whose truth is known: raw paired differences, normal or not, under correlated summaries."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tools.plan.sequential_design import SequentialDesign
from tools.statistics.power.priors import prior, spread
from tools.statistics.sequential.characteristics import characteristics

Shape = Literal["normal", "skewed", "heavy-tailed"]
SHAPES: tuple[Shape, ...] = ("normal", "skewed", "heavy-tailed")
MODELS = ("Qwen2.5-0.5B-Instruct", "Qwen2.5-7B-Instruct", "tiny-cpu")
"""Settings whose covariance of the six summaries is used: quiet, noisy, and the toy."""

FAR = 1e3
"""SDs from zero that no bound and no sample is anywhere near."""


def draws(shape: Shape, size: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Independent values of mean 0 and SD 1; skewed: exponential (skewness 2); heavy-tailed: Student's t with 3 df."""
    if shape == "normal":
        return rng.standard_normal(size)
    if shape == "skewed":
        return rng.standard_exponential(size) - 1.0
    return rng.standard_t(3, size) / np.sqrt(3.0)


def covariance(model: str, summaries: dict[str, dict[str, float]]) -> NDArray[np.float64]:
    """(S, S) of one seed's paired differences under these summaries, from the shipped priors."""
    found = spread(prior(model), summaries).covariance
    assert found is not None
    return found


def studies(
    count: int, n: int, effects: NDArray[np.float64], cov: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard errors (count, S) of raw normal studies of n pairs: drawn pair by pair, nothing shared with
    the sampler that plans use."""
    means, errors = [], []
    for start in range(0, count, 20_000):
        raw = effects + correlated((min(20_000, count - start), n), cov, rng)
        means.append(raw.mean(axis=1))
        errors.append(raw.std(axis=1, ddof=1) / np.sqrt(n))
    return np.concatenate(means), np.concatenate(errors)


def correlated(shape: tuple[int, ...], cov: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal values (*shape, S) with that covariance, which may be singular and carry rounding."""
    values, vectors = np.linalg.eigh(cov)
    kept = values > 1e-9 * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    return np.asarray(rng.standard_normal((*shape, root.shape[1])) @ root.T)


def least_favourable_error(
    design: SequentialDesign,
    covariance: NDArray[np.float64],
    alpha: float,
    rng: np.random.Generator,
    *,
    studies: int,
) -> NDArray[np.float64]:
    """(S,) P(efficacy, `better`) when the true difference is 0 under one summary and huge under all others.

    At most alpha / 2 each: no truth that leaves a summary at 0 or below is more favourable to a wrong claim.
    covariance: (S, S) as in `characteristics`. A futility rule of the design can only lower it: pass a design with
    `futility_chance=0` to measure the bounds alone.
    """
    sds = np.sqrt(np.diag(np.asarray(covariance, dtype=np.float64)))
    errors = []
    for zero in range(len(sds)):
        effects = np.where(np.arange(len(sds)) == zero, 0.0, FAR * sds)
        errors.append(characteristics(design, effects, covariance, alpha, rng, studies=studies).better)
    return np.array(errors)
