"""Leave one seed, one benchmark, one domain out, and judge again: does the verdict hang on one of them?"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.table import PairedScores
from tools.statistics.critical import Critical, fixed
from tools.statistics.sensitivity.rejudge import Direction, Rejudged, held_at, rejudge
from tools.statistics.summary_matrix import SummaryMatrix
from tools.statistics.verdict_model import OverallVerdict
from tools.study.plan import Analysis

LeftOutKind = Literal["seed", "benchmark", "domain"]


class LeftOut(StrictModel):
    """One seed, benchmark or domain whose removal changes the verdict."""

    name: str
    verdict: OverallVerdict
    direction: Direction | None
    emptied: tuple[str, ...] = ()
    """Summaries that weigh nothing else, so that the verdict without it is read from the others."""


class LeaveOneOut(StrictModel):
    """All removals of one kind."""

    kind: LeftOutKind
    removals: int
    n: int
    """Seed pairs that are left in each."""
    changed: tuple[LeftOut, ...]
    emptied: tuple[str, ...]
    """Summaries that some removal leaves nothing of."""
    lowest: float | None
    """Smallest mean difference under the primary summary over the removals, score points; None where there is none."""
    lowest_without: str
    highest: float | None
    highest_without: str
    skipped: str = ""
    """Why nothing of this kind was left out; empty where it was."""


class LeaveOut(StrictModel):
    """Of one comparison, judged on its complete pairs."""

    n: int
    primary: str
    mean: float | None
    """Under the primary summary with nothing left out, score points; None where n = 0 or the summary is not judged."""
    verdict: OverallVerdict
    direction: Direction | None
    kinds: tuple[LeaveOneOut, ...]


class _Asked(NamedTuple):
    """What all removals of one comparison share."""

    analysis: Analysis
    chosen: SummaryMatrix
    base: Rejudged
    primary: int | None
    """Column of the primary summary; None where it is not in the verdict set."""
    critical: Critical


def leave_out(
    pairs: PairedScores, domains: Mapping[str, str], analysis: Analysis, critical: Critical = fixed
) -> LeaveOut:
    """Judges the pairs, (n, B) on the benchmarks of the verdict set in its order, with each part left out in turn.

    domains: benchmark -> domain. The pairs stay the same when a benchmark is left out, and its weight is shared out
    over the rest of each summary in proportion. critical: as for the verdict; with one seed fewer, a repeated interval
    keeps the bound of the look that was made.
    """
    chosen = SummaryMatrix.of(analysis.summaries)
    differences = pairs.treatment - pairs.control
    full = differences @ chosen.weights
    base = rejudge(full[None], analysis, chosen.summaries, critical)[0]
    primary = chosen.summaries.index(analysis.primary) if analysis.primary in chosen.summaries else None
    asked = _Asked(analysis, chosen, base, primary, held_at(critical, len(full)))
    return LeaveOut(
        n=len(full),
        primary=analysis.primary,
        mean=None if primary is None or not len(full) else float(full[:, primary].mean()),
        verdict=base.verdict,
        direction=base.direction,
        kinds=(
            _seeds(full, pairs.seeds, asked),
            _benchmarks(differences, asked),
            _domains(differences, [domains.get(name, "") for name in chosen.benchmarks], asked),
        ),
    )


def _seeds(full: NDArray[np.float64], seeds: tuple[int, ...], asked: _Asked) -> LeaveOneOut:
    n = len(full)
    if n < 3:
        return _skipped("seed", n, "fewer than two seed pairs would be left, which give no interval")
    variants = full[np.array([[row for row in range(n) if row != left] for left in range(n)])]
    judged = rejudge(variants, asked.analysis, asked.chosen.summaries, asked.critical)
    found = [
        LeftOut(name=str(seed), verdict=one.verdict, direction=one.direction)
        for seed, one in zip(seeds, judged, strict=True)
    ]
    means = [None] * n if asked.primary is None else variants[:, :, asked.primary].mean(axis=1).tolist()
    return _collected("seed", n - 1, asked.base, found, means)


def _benchmarks(differences: NDArray[np.float64], asked: _Asked) -> LeaveOneOut:
    names = asked.chosen.benchmarks
    if len(names) < 2:
        return _skipped("benchmark", len(differences), "there is one benchmark")
    return _reweighed("benchmark", differences, {name: [at] for at, name in enumerate(names)}, asked)


def _domains(differences: NDArray[np.float64], domains: Sequence[str], asked: _Asked) -> LeaveOneOut:
    """domains: one a benchmark, empty where there is none."""
    names = tuple(dict.fromkeys(domain for domain in domains if domain))
    if not names:
        return _skipped("domain", len(differences), "the benchmarks have no domains")
    if len(set(domains)) == 1:
        return _skipped("domain", len(differences), "all benchmarks are of one domain")
    parts = {name: [at for at, domain in enumerate(domains) if domain == name] for name in names}
    return _reweighed("domain", differences, parts, asked)


def _reweighed(
    kind: LeftOutKind, differences: NDArray[np.float64], parts: Mapping[str, list[int]], asked: _Asked
) -> LeaveOneOut:
    """parts: name -> the rows of weights that go. Variants that keep the same summaries are judged together."""
    weights = np.stack([_without(asked.chosen.weights, rows) for rows in parts.values()])
    kept = weights.sum(axis=1) > 0
    values = np.einsum("nb,rbs->rns", differences, weights, optimize=True)
    found: dict[int, LeftOut] = {}
    for pattern in {tuple(row) for row in kept.tolist()}:
        rows = np.flatnonzero((kept == pattern).all(axis=1)).tolist()
        summaries = tuple(name for name, keep in zip(asked.chosen.summaries, pattern, strict=True) if keep)
        emptied = tuple(name for name in asked.chosen.summaries if name not in summaries)
        judged = rejudge(values[rows][:, :, np.array(pattern)], asked.analysis, summaries, asked.critical)
        for row, one in zip(rows, judged, strict=True):
            name = tuple(parts)[row]
            found[row] = LeftOut(name=name, verdict=one.verdict, direction=one.direction, emptied=emptied)
    means: list[float | None] = [None] * len(parts)
    if asked.primary is not None and len(differences):
        means = [
            float(one[:, asked.primary].mean()) if keeps else None
            for one, keeps in zip(values, kept[:, asked.primary], strict=True)
        ]
    return _collected(kind, len(differences), asked.base, [found[row] for row in range(len(parts))], means)


def _without(weights: NDArray[np.float64], rows: list[int]) -> NDArray[np.float64]:
    """(B, S); a summary of which nothing is left keeps no weight."""
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
        changed=tuple(one for one in found if (one.verdict, one.direction) != (base.verdict, base.direction)),
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
