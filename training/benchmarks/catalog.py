"""The catalogue of benchmarks, one row each; it needs only the standard library, so that every command can read it.

The questions of the tiny suite are in `training.data.tiny_benchmarks`.
"""

from typing import NamedTuple

from policies.errors import InputError
from training.support.nearest import nearest_or_all

DOMAINS = ("math", "logic", "science")


class Benchmark(NamedTuple):
    """One benchmark of a suite."""

    id: str
    domain: str
    suite: str
    grader: str
    """A name in `training.grading.graders`."""
    questions: int


def _tiny(domain: str, grader: str, *ids: str) -> tuple[Benchmark, ...]:
    return tuple(Benchmark(id=name, domain=domain, suite="tiny-12", grader=grader, questions=200) for name in ids)


_SUITES: dict[str, tuple[Benchmark, ...]] = {
    "tiny-12": (
        *_tiny("math", "number", "math500", "aime24", "olympiadbench", "minerva_math", "gsm8k"),
        *_tiny("logic", "knights", "kk_hard"),
        *_tiny("logic", "choice", "bbh_logical_deduction", "bbh_tracking", "zebra_logic_mc"),
        *_tiny("science", "choice", "gpqa_diamond", "mmlu_pro_chemistry", "mmlu_pro_physics"),
    )
}


nearest = nearest_or_all
"""Alias for `training.grading`, whose source is part of every run key and must not change."""


def suites() -> tuple[str, ...]:
    """Returns the names of all suites."""
    return tuple(_SUITES)


def suite(name: str) -> tuple[Benchmark, ...]:
    """Returns the benchmarks of a suite in their fixed order; raises InputError with the nearest suites."""
    if name not in _SUITES:
        raise InputError(f"unknown benchmark suite {name!r}; try one of: {nearest_or_all(name, suites())}")
    return _SUITES[name]


def benchmark(suite_name: str, name: str) -> Benchmark:
    """Returns one benchmark of a suite; raises InputError with the nearest names."""
    found = {row.id: row for row in suite(suite_name)}
    if name not in found:
        raise InputError(
            f"unknown benchmark {name!r} in {suite_name}; try one of: {nearest_or_all(name, tuple(found))}"
        )
    return found[name]
