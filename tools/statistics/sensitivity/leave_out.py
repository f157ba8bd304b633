"""Leave-one-out analysis over seeds, benchmarks and domains: does the verdict depend on a single one of them?"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.plan.analysis import Analysis
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores
from tools.statistics.paired import Critical, fixed
from tools.statistics.sensitivity.rejudge import Direction, Lost, Rejudged, rejudge
from tools.statistics.verdict_model import OverallVerdict

LeftOutKind = Literal["seed", "benchmark", "domain"]


class LeftOut(StrictModel):
    """One seed, benchmark or domain whose removal changes the verdict."""

    name: str
    verdict: OverallVerdict
    direction: Direction | None
    negligible: bool = False
    emptied: tuple[str, ...] = ()
    """Summaries that weigh nothing else, so that the verdict without it is based on the others."""


class LeaveOneOut(StrictModel):
    """All removals of one kind."""

    kind: LeftOutKind
    removals: int
    n: int
    """Number of seed pairs that remain in each."""
    changed: tuple[LeftOut, ...]
    emptied: tuple[str, ...]
    """Summaries without any remaining benchmark after some removal."""
    lowest: float | None
    """Smallest mean difference under the primary summary over the removals, score points; None if there is none."""
    lowest_without: str
    highest: float | None
    highest_without: str
    skipped: str = ""
    """Why nothing of this kind was left out; empty if it was."""


class LeaveOut(StrictModel):
    """Of one comparison, judged as its verdict is."""

    n: int
    primary: str
    mean: float | None
    """Mean difference under the primary summary with nothing left out, score points; None if n = 0 or not judged."""
    verdict: OverallVerdict
    direction: Direction | None
    kinds: tuple[LeaveOneOut, ...]


class _Asked(NamedTuple):
    """What all removals of one comparison share."""

    analysis: Analysis
    chosen: SummaryMatrix
    primary: int | None
    """Column of the primary summary; None if it is not in the verdict set."""
    critical: Critical
    lost: Lost | None
    """On the benchmarks of the verdict set."""
    n: int
    """Pairs of the verdict."""

    def rejudged(
        self, differences: NDArray[np.float64], weights: NDArray[np.float64], summaries: Sequence[str]
    ) -> list[Rejudged]:
        """Of variants (R, n, S) under summaries with these weights, (B, S) or (R, B, S)."""
        lost = None if self.lost is None else self.lost.weighed(weights)
        return rejudge(differences, self.analysis, summaries, self.critical, lost, self.n)


def leave_out(
    pairs: PairedScores,
    domains: Mapping[str, str],
    analysis: Analysis,
    critical: Critical = fixed,
    lost: Lost | None = None,
) -> LeaveOut:
    """Judges the pairs, (n, B) on the benchmarks of the verdict set in its order, with each part left out in turn.

    domains: benchmark -> domain. The pairs stay the same when a benchmark is left out, and its weight is distributed
    over the rest of each summary in proportion. critical: as for the verdict; with one seed fewer, a repeated interval
    keeps the bound of the look that was made. lost: on the same benchmarks; a claim has to outweigh them, as in the
    verdict.
    """
    chosen = SummaryMatrix.of(analysis.summaries)
    differences = pairs.treatment - pairs.control
    full = differences @ chosen.weights
    primary = chosen.summaries.index(analysis.primary) if analysis.primary in chosen.summaries else None
    asked = _Asked(analysis, chosen, primary, critical, lost, len(full))
    base = asked.rejudged(full[None], chosen.weights, chosen.summaries)[0]
    return LeaveOut(
        n=len(full),
        primary=analysis.primary,
        mean=None if primary is None or not len(full) else float(full[:, primary].mean()),
        verdict=base.verdict,
        direction=base.direction,
        kinds=(
            _seeds(full, pairs.seeds, base, asked),
            _benchmarks(differences, base, asked),
            _domains(differences, [domains.get(name, "") for name in chosen.benchmarks], base, asked),
        ),
    )


def _seeds(full: NDArray[np.float64], seeds: tuple[int, ...], base: Rejudged, asked: _Asked) -> LeaveOneOut:
    n = len(full)
    if n < 3:
        return _skipped("seed", n, "fewer than two seed pairs would remain, which give no interval")
    variants = full[np.array([[row for row in range(n) if row != left] for left in range(n)])]
    judged = asked.rejudged(variants, asked.chosen.weights, asked.chosen.summaries)
    found = [
        LeftOut(name=str(seed), verdict=one.verdict, direction=one.direction, negligible=one.negligible)
        for seed, one in zip(seeds, judged, strict=True)
    ]
    means = [None] * n if asked.primary is None else variants[:, :, asked.primary].mean(axis=1).tolist()
    return _collected("seed", n - 1, base, found, means)


def _benchmarks(differences: NDArray[np.float64], base: Rejudged, asked: _Asked) -> LeaveOneOut:
    names = asked.chosen.benchmarks
    if len(names) < 2:
        return _skipped("benchmark", len(differences), "there is one benchmark")
    return _reweighed("benchmark", differences, {name: [at] for at, name in enumerate(names)}, base, asked)


def _domains(differences: NDArray[np.float64], domains: Sequence[str], base: Rejudged, asked: _Asked) -> LeaveOneOut:
    """domains: one a benchmark, empty where there is none."""
    names = tuple(dict.fromkeys(domain for domain in domains if domain))
    if not names:
        return _skipped("domain", len(differences), "the benchmarks have no domains")
    if len(set(domains)) == 1:
        return _skipped("domain", len(differences), "all benchmarks are of one domain")
    parts = {name: [at for at, domain in enumerate(domains) if domain == name] for name in names}
    return _reweighed("domain", differences, parts, base, asked)


def _reweighed(
    kind: LeftOutKind,
    differences: NDArray[np.float64],
    parts: Mapping[str, list[int]],
    base: Rejudged,
    asked: _Asked,
) -> LeaveOneOut:
    """parts: name -> the rows of weights to remove. Variants that keep the same summaries are judged together."""
    weights = np.stack([_without(asked.chosen.weights, rows) for rows in parts.values()])
    kept = weights.sum(axis=1) > 0
    values = np.einsum("nb,rbs->rns", differences, weights, optimize=True)
    found: dict[int, LeftOut] = {}
    for pattern in {tuple(row) for row in kept.tolist()}:
        rows = np.flatnonzero((kept == pattern).all(axis=1)).tolist()
        summaries = tuple(name for name, keep in zip(asked.chosen.summaries, pattern, strict=True) if keep)
        emptied = tuple(name for name in asked.chosen.summaries if name not in summaries)
        columns = np.array(pattern)
        judged = asked.rejudged(values[rows][:, :, columns], weights[rows][:, :, columns], summaries)
        for row, one in zip(rows, judged, strict=True):
            name = tuple(parts)[row]
            found[row] = LeftOut(
                name=name,
                verdict=one.verdict,
                direction=one.direction,
                negligible=one.negligible,
                emptied=emptied,
            )
    means: list[float | None] = [None] * len(parts)
    if asked.primary is not None and len(differences):
        means = [
            float(one[:, asked.primary].mean()) if keeps else None
            for one, keeps in zip(values, kept[:, asked.primary], strict=True)
        ]
    return _collected(kind, len(differences), base, [found[row] for row in range(len(parts))], means)


def _without(weights: NDArray[np.float64], rows: list[int]) -> NDArray[np.float64]:
    """(B, S) weights; a summary without remaining benchmarks has no weight."""
    rest = weights.copy()
    rest[rows] = 0.0
    left = rest.sum(axis=0)
    return np.asarray(np.divide(rest, left, out=np.zeros_like(rest), where=left > 0))


def _collected(
    kind: LeftOutKind, n: int, base: Rejudged, found: Sequence[LeftOut], means: Sequence[float | None]
) -> LeaveOneOut:
    known = [(mean, one.name) for mean, one in zip(means, found, strict=True) if mean is not None]
    lowest = min(known, key=lambda one: one[0], default=(None, ""))
    highest = max(known, key=lambda one: one[0], default=(None, ""))
    return LeaveOneOut(
        kind=kind,
        removals=len(found),
        n=n,
        changed=tuple(one for one in found if (one.verdict, one.direction, one.negligible) != base),
        emptied=tuple(dict.fromkeys(name for one in found for name in one.emptied)),
        lowest=lowest[0],
        lowest_without=lowest[1],
        highest=highest[0],
        highest_without=highest[1],
    )


def _skipped(kind: LeftOutKind, n: int, reason: str) -> LeaveOneOut:
    return LeaveOneOut(
        kind=kind, removals=0, n=n, changed=(), emptied=(), lowest=None, lowest_without="", highest=None,
        highest_without="", skipped=reason,
    )  # fmt: skip
