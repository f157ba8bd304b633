"""Benchmark summaries: named non-negative weights over benchmarks, summing to 1.

A summary is one decorated function from {benchmark: domain} to {benchmark: weight}, benchmarks of weight 0 left out.
Other packages add theirs through the entry point group `advisor.summaries` (the function, decorated or not).
Both built-in suites, dataflex-12 and tiny-12, use the same benchmark names, so that one definition serves both.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.metadata import entry_points

from policies.errors import InputError
from training.support.nearest import nearest

Weights = dict[str, float]
Summary = Callable[[Mapping[str, str]], Weights]

VERDICT_SET = ("domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science")
"""The default summaries under which a claim must hold."""
ENTRY_POINTS = "advisor.summaries"

_BUILT_IN: dict[str, Summary] = {}


def summary(function: Summary) -> Summary:
    """Registers a summary under its function's name. Raises ValueError if the name is taken."""
    name = function.__name__
    if name in _BUILT_IN:
        raise ValueError(f"summary {name!r} is defined twice")
    _BUILT_IN[name] = function
    return function


@summary
def domain_balanced_12(benchmarks: Mapping[str, str]) -> Weights:
    """Equal weight for each domain, and for each benchmark within a domain: three domains get 1/3 each."""
    return balanced(benchmarks)


@summary
def flat_12(benchmarks: Mapping[str, str]) -> Weights:
    """Equal weight for every benchmark."""
    return flat(benchmarks)


@summary
def math_heavy_6(benchmarks: Mapping[str, str]) -> Weights:
    """Equal weight for the math benchmarks and gpqa_diamond."""
    return flat([name for name, domain in benchmarks.items() if domain == "math" or name == "gpqa_diamond"])


@summary
def no_math(benchmarks: Mapping[str, str]) -> Weights:
    """Domain-balanced over the domains other than math."""
    return _without(benchmarks, "math")


@summary
def no_logic(benchmarks: Mapping[str, str]) -> Weights:
    """Domain-balanced over the domains other than logic."""
    return _without(benchmarks, "logic")


@summary
def no_science(benchmarks: Mapping[str, str]) -> Weights:
    """Domain-balanced over the domains other than science."""
    return _without(benchmarks, "science")


def names() -> tuple[str, ...]:
    """All summaries, the built-in ones first."""
    return tuple(registry())


def get(name: str) -> Summary:
    """The summary of that name. Raises InputError naming the nearest ones."""
    known = registry()
    if name not in known:
        near = nearest(name, known) or tuple(known)
        raise InputError(f"unknown summary {name!r}: nearest are {', '.join(near)}")
    return known[name]


def weights(name: str, benchmarks: Mapping[str, str]) -> Weights:
    """Returns the weights of one summary over these benchmarks (id -> domain), in their order, positive, summing to 1.

    Raises InputError for an unknown name, and if the summary weighs none of these benchmarks.
    """
    found = get(name)(benchmarks)
    chosen = {benchmark: found[benchmark] for benchmark in benchmarks if found.get(benchmark, 0.0) != 0.0}
    if not chosen:
        raise InputError(f"summary {name} weighs none of the benchmarks {', '.join(benchmarks) or '(none)'}")
    check_weights(name, found, benchmarks)
    return chosen


def check_weights(name: str, found: Mapping[str, float], benchmarks: Mapping[str, str]) -> None:
    """Raises InputError unless the weights are non-negative, on known benchmarks, and sum to 1."""
    unknown = [benchmark for benchmark in found if benchmark not in benchmarks]
    if unknown:
        raise InputError(f"summary {name} weighs unknown benchmarks: {', '.join(unknown)}")
    negative = [benchmark for benchmark, weight in found.items() if not weight >= 0]
    if negative:
        raise InputError(f"summary {name} has a negative weight for {', '.join(negative)}: use weights of 0 or more")
    total = sum(found.values())
    if abs(total - 1.0) > 1e-9:
        raise InputError(f"summary {name} has weights that sum to {total:.6g}: make them sum to 1")


def verdict_set(benchmarks: Mapping[str, str]) -> dict[str, Weights]:
    """Returns the default verdict set over these benchmarks (id -> domain): six summaries, the primary one first."""
    return {name: weights(name, benchmarks) for name in VERDICT_SET}


@cache
def registry() -> dict[str, Summary]:
    """Name -> summary, the built-in ones first. Raises InputError where two packages take one name."""
    found = dict(_BUILT_IN)
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in found:
            raise InputError(f"summary {point.name!r} of {point.value} is already defined: rename it")
        found[point.name] = point.load()
    return found


def flat(benchmarks: Collection[str]) -> Weights:
    """Returns equal weights over these benchmarks."""
    return {name: 1.0 / len(benchmarks) for name in benchmarks}


def balanced(benchmarks: Mapping[str, str]) -> Weights:
    """Returns equal weights for each domain, and within it, over these benchmarks (id -> domain)."""
    sizes: dict[str, int] = {}
    for domain in benchmarks.values():
        sizes[domain] = sizes.get(domain, 0) + 1
    return {name: 1.0 / (len(sizes) * sizes[domain]) for name, domain in benchmarks.items()}


def _without(benchmarks: Mapping[str, str], left_out: str) -> Weights:
    return balanced({name: domain for name, domain in benchmarks.items() if domain != left_out})
