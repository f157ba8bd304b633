"""The default summaries of a verdict, for any set of benchmarks.

The twelve of the suites get the six built-in summaries. Any others get `flat`, `domain_balanced` if every benchmark
has a domain, and leave-one-domain-out (`no_<domain>`); without domains, leave-one-benchmark-out if there are few.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tools.scores.summaries import Weights, balanced, flat, verdict_set

FEW = 12
"""Up to this many benchmarks without domains are each left out in turn."""


class VerdictSet(NamedTuple):
    """The summaries under which a claim must hold."""

    summaries: dict[str, Weights]
    """Name -> weights, the primary one first."""
    domains: dict[str, str]
    """Benchmark -> domain, those without one left out."""
    notes: tuple[str, ...] = ()
    """How the set was chosen, if that is not obvious."""


def default_verdict_set(benchmarks: Sequence[str], domains: Mapping[str, str]) -> VerdictSet:
    """Returns the default verdict set over these benchmarks (at least one).

    domains: benchmark -> domain as given by the table or the user; empty or absent ones are filled in for the
    benchmarks of the built-in suites.
    """
    usual = _suite_domains()
    given = {name: domains.get(name) or usual.get(name, "") for name in benchmarks}
    known = {name: domain for name, domain in given.items() if domain}
    present = [name for name in usual if name in given]
    all_there = len(present) == len(usual) and all(given[name] == usual[name] for name in usual)
    outside = [name for name in benchmarks if name not in usual]
    if all_there and (not outside or len(known) < len(given)):
        notes = (f"not in the verdict set, because the domain is unknown: {_list(outside)}",) if outside else ()
        return VerdictSet(verdict_set({name: usual[name] for name in benchmarks if name in usual}), known, notes)
    found = _general(list(benchmarks), known)
    return VerdictSet(found, known, (*_subset(present, usual), *_without_domain(benchmarks, known, found)))


def distinct(summaries: Mapping[str, Weights]) -> dict[str, Weights]:
    """Returns the summaries without those whose weights equal those of an earlier one, which would count twice."""
    seen: set[frozenset[tuple[str, float]]] = set()
    kept = {}
    for name, weights in summaries.items():
        key = frozenset((benchmark, round(weight, 12)) for benchmark, weight in weights.items())
        if key not in seen:
            kept[name] = weights
            seen.add(key)
    return kept


def _general(benchmarks: Sequence[str], domains: Mapping[str, str]) -> dict[str, Weights]:
    """Flat, domain-balanced and leave-one-out, those that differ."""
    kinds = tuple(dict.fromkeys(domains.values()))
    if len(domains) == len(benchmarks) and len(kinds) > 1:
        ordered = {name: domains[name] for name in benchmarks}
        found = {"domain_balanced": balanced(ordered), "flat": flat(benchmarks)}
        if equal_weights(found["domain_balanced"], found["flat"]):
            del found["domain_balanced"]
        for kind in kinds:
            found[f"no_{kind}"] = balanced({name: domain for name, domain in ordered.items() if domain != kind})
        return distinct(found)
    left_out = benchmarks if 1 < len(benchmarks) <= FEW else ()
    return {"flat": flat(benchmarks)} | {
        f"no_{name}": flat([one for one in benchmarks if one != name]) for name in left_out
    }


def equal_weights(one: Weights, other: Weights) -> bool:
    """Returns whether two summaries have the same weights."""
    return len(distinct({"one": one, "other": other})) == 1


def _subset(present: Sequence[str], usual: Mapping[str, str]) -> tuple[str, ...]:
    """A note on the six built-in summaries if only some of the twelve benchmarks are in the table."""
    if not present or len(present) == len(usual):
        return ()
    standard = verdict_set(usual)
    whole = [name for name, weights in standard.items() if all(benchmark in present for benchmark in weights)]
    computable = (
        f"of the six standard summaries {_list(whole)} could be computed"
        if whole
        else "none of the six standard summaries can be computed"
    )
    are = "is" if len(present) == 1 else "are"
    return (
        f"{len(present)} of the twelve standard benchmarks {are} in the table: {computable}; the verdict uses "
        "summaries over the benchmarks in the table",
    )


def _without_domain(
    benchmarks: Sequence[str], known: Mapping[str, str], found: Mapping[str, Weights]
) -> tuple[str, ...]:
    missing = [name for name in benchmarks if name not in known]
    if not missing or len(benchmarks) == 1:
        return ()
    what = "each benchmark is left out in turn" if len(found) > 1 else "the verdict uses the flat average only"
    which = "the benchmarks" if len(missing) == len(benchmarks) else _list(missing)
    return (f"no domain is known for {which}: {what}; domains can be given in --summaries FILE",)


def _suite_domains() -> dict[str, str]:
    from training.benchmarks.catalog import suite, suites

    return {row.id: row.domain for row in suite(suites()[0])}


def _list(names: Sequence[str], shown: int = 6) -> str:
    first = ", ".join(names[:shown])
    return first if len(names) <= shown else f"{first} and {len(names) - shown} more"
