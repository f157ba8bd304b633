"""The benchmarks there are: standard library only, so that every command can read it.

A benchmark is one row; `training.benchmarks.tiny` has the questions of the tiny suite.
"""

from difflib import get_close_matches
from typing import NamedTuple

from policies.errors import InputError

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
    ),
}


def nearest(name: str, known: tuple[str, ...]) -> str:
    """The end of an error line about an unknown name: the close matches, or all there are."""
    return ", ".join(get_close_matches(name, known, n=3, cutoff=0.5) or known)


def suites() -> tuple[str, ...]:
    """Names of all suites."""
    return tuple(_SUITES)


def suite(name: str) -> tuple[Benchmark, ...]:
    """The benchmarks of a suite in their fixed order; InputError names the nearest suites."""
    if name not in _SUITES:
        raise InputError(f"unknown benchmark suite {name!r}; try one of: {nearest(name, suites())}")
    return _SUITES[name]


def benchmark(suite_name: str, name: str) -> Benchmark:
    """One benchmark of a suite; InputError names the nearest ones."""
    found = {row.id: row for row in suite(suite_name)}
    if name not in found:
        raise InputError(f"unknown benchmark {name!r} in {suite_name}; try one of: {nearest(name, tuple(found))}")
    return found[name]
