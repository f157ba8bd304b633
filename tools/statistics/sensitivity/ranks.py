"""Whether the summaries rank the arms alike, and which arm is best; both compared with what equal arms would give."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import ScoreTable
from tools.statistics.sensitivity.arm_model import ArmModel, arm_model
from tools.text.numbers import finite

REPEATS = 4_000
FEWEST_REPEATS = 1_000
_WORK = 6_000_000
"""Arms x summaries x repeats: large tables get fewer repeats, but at least `FEWEST_REPEATS`."""
_TIE = 9
"""Decimals of a score point to which two arms must agree to be tied."""


class RankAgreement(StrictModel):
    """Spearman's rank correlation of the arms between two summaries."""

    first: str
    second: str
    rho: float | None
    """None if all arms are tied under one of them."""
    low: float | None
    high: float | None
    """Interval at `Ranks.confidence`; None without an estimate of the noise."""
    expected: float | None
    """Mean over repeats with equal arms: summaries that share benchmarks agree by construction."""
    expected_low: float | None
    expected_high: float | None
    """The central interval of those repeats with coverage `confidence`."""


class ArmChance(StrictModel):
    """How often one arm is the best under the primary summary."""

    arm: str
    mean: float
    """Score points."""
    best: float | None
    """Share of the repeats in which the arm ranks first; None without an estimate of the noise."""


class Ranks(StrictModel):
    """The ranks of the arms of one table; empty if there are fewer than three."""

    arms: int
    left_out: tuple[str, ...]
    """Arms without a complete run."""
    fewest_runs: int
    most_runs: int
    """Numbers of complete runs per arm."""
    df: int
    confidence: float
    repeats: int
    """0 without an estimate of the noise."""
    primary: str
    agreements: tuple[RankAgreement, ...] = ()
    chances: tuple[ArmChance, ...] = ()
    """In decreasing order of the share of first ranks."""


def ranks(
    table: ScoreTable,
    summaries: Mapping[str, Mapping[str, float]],
    primary: str,
    confidence: float,
    generator: np.random.Generator,
) -> Ranks:
    """Ranks the arms of one table, controls included, under summaries (name -> weight of each benchmark).

    The intervals are a parametric bootstrap of the arm + seed model: each repeat redraws the arms' means around the
    estimated ones, with the noise of the fit (whose scale is drawn from its posterior), and ranks them again. Seed
    effects common to all arms change no rank. The same with all arms equal gives the expected values.
    """
    model = arm_model(table, summaries)
    arms = len(model.arms)
    base = Ranks(
        arms=arms,
        left_out=model.left_out,
        fewest_runs=int(model.runs.min()) if arms else 0,
        most_runs=int(model.runs.max()) if arms else 0,
        df=model.df,
        confidence=confidence,
        repeats=0,
        primary=primary,
    )
    if arms < 3:
        return base
    at = model.summaries.index(primary) if primary in model.summaries else None
    measured = spearman(model.effects.T)
    if not model.noisy.any():
        return base.model_copy(
            update={
                "agreements": _agreements(model, measured, None, None, confidence),
                "chances": _chances(model, at, None),
            }
        )
    repeats = int(np.clip(_WORK // max(model.effects.size, 1), FEWEST_REPEATS, REPEATS))
    around, firsts = _repeat(model, model.effects, at, repeats, generator)
    equal, _ = _repeat(model, np.zeros_like(model.effects), None, repeats, generator)
    return base.model_copy(
        update={
            "repeats": repeats,
            "agreements": _agreements(model, measured, around, equal, confidence),
            "chances": _chances(model, at, firsts),
        }
    )


def spearman(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns rank correlations (..., S, S) of S rankings of A items from values (..., S, A); ties get their mean rank.

    NaN if all items of a ranking are tied.
    """
    ranked = _average_ranks(np.round(values, _TIE))
    centred = ranked - ranked.mean(axis=-1, keepdims=True)
    cross = centred @ np.swapaxes(centred, -1, -2)
    spread = np.diagonal(cross, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip(cross / np.sqrt(spread[..., :, None] * spread[..., None, :]), -1.0, 1.0))


def _average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 along the last axis, ties at their mean."""
    flat = values.reshape(-1, values.shape[-1])
    ranked = np.empty(flat.shape)
    for row, out in zip(flat, ranked, strict=True):
        _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
        out[:] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return np.asarray(ranked.reshape(values.shape))


def _repeat(
    model: ArmModel, effects: NDArray[np.float64], primary: int | None, repeats: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rank correlations (repeats, S, S), and how often each arm is first under the primary summary (A,)."""
    root = _root(model.covariance)
    arms, summaries = effects.shape
    found = np.empty((repeats, summaries, summaries))
    firsts = np.zeros(arms)
    positions = np.arange(arms, dtype=np.float64) - (arms - 1) / 2
    block = max(1, 2_000_000 // effects.size)
    for start in range(0, repeats, block):
        size = min(block, repeats - start)
        scale = np.sqrt(model.df / generator.chisquare(model.df, size))[:, None, None]
        noise = root @ generator.standard_normal((size, summaries, arms)) / np.sqrt(model.runs)
        drawn = effects.T + scale * noise
        # Drawn values are never tied: ranks are the inverse of the order.
        order = np.argsort(drawn, axis=-1)
        ranked = np.empty(drawn.shape)
        np.put_along_axis(ranked, order, np.broadcast_to(positions, drawn.shape), axis=-1)
        found[start : start + size] = ranked @ ranked.swapaxes(-1, -2) / (positions @ positions)
        if primary is not None:
            firsts += np.bincount(order[:, primary, -1], minlength=arms)
    return found, firsts / repeats


def _root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """(S, S) matrix whose product with its transpose is the covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _agreements(
    model: ArmModel,
    measured: NDArray[np.float64],
    around: NDArray[np.float64] | None,
    equal: NDArray[np.float64] | None,
    confidence: float,
) -> tuple[RankAgreement, ...]:
    size = len(model.summaries)
    drawn = np.full((5, size, size), np.nan)
    if around is not None and equal is not None:
        tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
        drawn = np.concatenate(
            [np.quantile(around, tails, axis=0), equal.mean(axis=0)[None], np.quantile(equal, tails, axis=0)]
        )
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    return tuple(_agreement(model, a, b, measured[a, b], drawn[:, a, b]) for a, b in pairs)


def _agreement(model: ArmModel, a: int, b: int, rho: float, drawn: NDArray[np.float64]) -> RankAgreement:
    """drawn: (5,) low, high, expected, expected low, expected high; without noise there is nothing to draw."""
    readable = np.isfinite(rho) and model.noisy[a] and model.noisy[b]
    low, high, expected, expected_low, expected_high = (finite(value) if readable else None for value in drawn)
    return RankAgreement(
        first=model.summaries[a], second=model.summaries[b], rho=finite(rho), low=low, high=high, expected=expected,
        expected_low=expected_low, expected_high=expected_high,
    )  # fmt: skip


def _chances(model: ArmModel, primary: int | None, firsts: NDArray[np.float64] | None) -> tuple[ArmChance, ...]:
    if primary is None:
        return ()
    known = firsts is not None and bool(model.noisy[primary])
    found = [
        ArmChance(arm=arm, mean=float(mean), best=float(firsts[at]) if known and firsts is not None else None)
        for at, (arm, mean) in enumerate(zip(model.arms, model.effects[:, primary], strict=True))
    ]
    return tuple(sorted(found, key=lambda one: (-(one.best or 0.0), -one.mean, one.arm)))
