"""Finds the benchmark columns of a wide table: known by name, or numeric with values like scores."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from tools.scores.benchmark_names import benchmark_id
from tools.scores.columns import GROUPS, normal, short, split
from tools.scores.factor import Factor
from tools.scores.readers.cells import is_missing
from tools.scores.readers.numerals import is_numeric, numbers, plain_numbers
from tools.scores.readers.raw import Raw, RawTable

_SPREADS = ("stderr", "std", "se", "sem", "sd", "ci", "var", "stdev")
_COUNTS = ("n", "questions", "n_questions", "num_questions", "n_samples", "num_samples")
_AVERAGES = frozenset({"avg", "average", "mean", "overall", "total", "macro", "micro", "all"})
_NO_SCORES = frozenset((
    "time", "hours", "hour", "seconds", "minutes", "duration", "runtime", "walltime", "date", "timestamp", "year",
    "month", "day", "tokens", "token", "length", "len", "loss", "reward", "kl", "entropy", "grad", "throughput",
    "tflops", "flops", "gpu", "gpus", "cost", "memory", "lr", "learning", "step", "steps", "epoch", "epochs",
    "params", "parameters", "size", "batch", "temperature", "beta", "alpha", "gamma", "eps", "seed", "id", "idx",
    "index", "rank", "count", "num", "samples", "version", "job", "pid", "port", "commit", "std", "stderr", "se",
    "sem", "sd", "ci", "var",
))  # fmt: skip
"""Words of a column name that say that it is no benchmark."""


_TEXT = "it is text"
_RUN = "it describes the run"


class WideColumns(NamedTuple):
    """The columns of a wide table without another role, by kind."""

    benchmarks: tuple[str, ...]
    questions: dict[str, str]
    """Benchmark column -> the column with its number of questions."""
    others: tuple[str, ...]
    """Columns that may describe the run: candidates for separating cells."""
    notes: tuple[str, ...]


def wide_columns(
    table: RawTable, columns: Sequence[str], roles: Mapping[str, str], arm: Factor[str], runs: Factor[int]
) -> WideColumns:
    """Classifies the columns that have no role yet.

    arm: by row; runs: the seed by row. Raises InputError if no benchmark is found.
    """
    if "benchmarks" in roles:
        chosen = split(roles["benchmarks"], table.header)
        if not chosen:
            raise InputError("--column benchmarks= names no column: name at least one, or omit the option")
        return WideColumns(chosen, {}, tuple(name for name in columns if name not in chosen), ())
    known = {name for name in columns if benchmark_id(name)}
    companions = _companions(columns)
    unknown = [name for name in columns if name not in known and name not in companions]
    reasons = {name: _no_benchmark(table, name, arm, runs) for name in unknown}
    benchmarks = tuple(name for name in columns if name in known or reasons.get(name) == "")
    taken = set(benchmarks)
    companions = {name: (base, word) for name, (base, word) in companions.items() if base in taken}
    if not benchmarks:
        raise InputError(
            f"no benchmark column among {short(columns) or 'the remaining columns'}: "
            "name them with --column benchmarks=NAME,NAME"
        )
    questions = {base: name for name, (base, word) in companions.items() if word in _COUNTS}
    others = tuple(name for name in columns if name not in taken and name not in companions)
    return WideColumns(benchmarks, questions, others, tuple(_notes(benchmarks, companions, questions, reasons)))


def _notes(
    benchmarks: Iterable[str], companions: Iterable[str], questions: Mapping[str, str], reasons: Mapping[str, str]
) -> Iterable[str]:
    new = [name for name in benchmarks if not benchmark_id(name)]
    if new:
        yield f"numeric columns taken as benchmarks: {short(new)}; to omit one: --column ignore={new[0]}"
    counts = set(questions.values())
    spreads = [name for name in companions if name not in counts]
    if spreads:
        yield f"columns that describe a benchmark's error are not used: {', '.join(spreads)}"
    refused = [f"{name} ({reason})" for name, reason in reasons.items() if reason not in ("", _TEXT, _RUN)]
    if refused:
        yield f"numeric but not benchmarks: {short(refused)}; to choose the benchmarks: --column benchmarks=NAME"


def _no_benchmark(table: RawTable, name: str, arm: Factor[str], runs: Factor[int]) -> str:
    """Why a column with an unknown name is not a benchmark; empty if it is one."""
    cells = table.columns[name]
    words = set(normal(name).split("_"))
    if normal(name) in GROUPS:
        return _RUN
    values = plain_numbers(cells)
    if values is None and all(map(is_missing, cells)):
        return "empty"
    if values is None and not is_numeric(cells):
        return _TEXT
    if words & _AVERAGES:
        return "an average of others, by its name"
    if words & _NO_SCORES:
        return f"{sorted(words & _NO_SCORES)[0]!r} is not a score"
    if values is None:
        values = numbers(table, [name], _loose(cells)).values[:, 0]
    return _by_values(values, arm, runs)


def _by_values(values: NDArray[np.float64], arm: Factor[str], runs: Factor[int]) -> str:
    given = values[~np.isnan(values)]
    if len(values) > 1 and given.min() == given.max():
        return "one value in every row"
    if ((given < 0) | (given > 100)).sum() > len(given) / 2:
        return "most values outside 0..100"
    if given[0] in (0, 1) and np.array_equal(given, np.arange(len(given)) + given[0]) and len(given) > 1:
        return "it numbers the rows"
    if len(arm.values) > 1 and len(runs.values) > 1 and _same_within(arm.codes, values):
        return "the same in all runs of an arm"
    return ""


def _loose(cells: list[Raw]) -> str:
    """The decimal mark to assume for distinguishing scores from other numbers."""
    return "comma" if any("," in cell for cell in cells if isinstance(cell, str)) else ""


def _same_within(codes: NDArray[np.int64], values: NDArray[np.float64]) -> bool:
    order = np.lexsort((values, codes))
    code, value = codes[order], values[order]
    inner = code[1:] == code[:-1]
    return bool(inner.any() and (value[1:][inner] == value[:-1][inner]).all())


def _companions(columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Column -> the column that it describes, and the addition to its name: `stderr` for gsm8k_stderr."""
    bases = {normal(name): name for name in columns}
    found = {}
    for name in columns:
        mine = normal(name)
        for word in (*_SPREADS, *_COUNTS):
            bare = {mine.removesuffix(f"_{word}"), mine.removeprefix(f"{word}_")} - {mine}
            base = next((bases[one] for one in sorted(bare) if one in bases), "")
            if base:
                found[name] = (base, word)
                break
    return found
