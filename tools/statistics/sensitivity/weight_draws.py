"""Weightings of the benchmarks, drawn once for a cell: its comparisons are all read under the same ones."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

WeightingKind = Literal["domains", "subsets", "benchmarks"]
DRAWS = 10_000
EXACT = 12
"""Up to so many benchmarks every equal-weight subset is read: 4,095 at twelve."""


class WeightDraws(NamedTuple):
    """Weightings over B benchmarks or G domains, one column each, non-negative and summing to 1."""

    benchmarks: tuple[str, ...]
    inside_domains: NDArray[np.float64] | None
    """(B, G) equal weights inside each domain; None where `without_domains` says why not."""
    by_domain: NDArray[np.float64] | None
    """(G, K) Dirichlet(1) over the domains; over the benchmarks that is `inside_domains @ by_domain`."""
    subsets: NDArray[np.float64]
    """(B, K) equal weights on a non-empty subset: all of them up to `EXACT` benchmarks, else uniformly drawn ones."""
    by_benchmark: NDArray[np.float64]
    """(B, K) Dirichlet(1) over the benchmarks."""
    without_domains: str
    """Why there is no weighting over domains; empty where there is."""


def draw_weights(domains: Mapping[str, str], generator: np.random.Generator, draws: int = DRAWS) -> WeightDraws:
    """Draws for B >= 1 benchmarks, given as benchmark -> domain (empty: none)."""
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
