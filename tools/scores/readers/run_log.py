"""One evaluation log: a run's scores on some benchmarks, as lm-eval and Inspect write them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from policies.errors import InputError
from tools.scores.columns import short
from tools.scores.readers.raw import Raw, RawTable, Segment
from tools.scores.readers.run_paths import RunPath

_SCALES_OF_100 = ("bleu", "chrf", "ter", "rouge")
"""Metrics that are already in points of 100, by the beginnings of their names."""


def fields(value: object) -> Mapping[str, Any]:
    """Returns the fields of a part of a log; none if it is not an object, as log formats vary."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> Sequence[Any]:
    """Returns the items of a part of a log; none if it is not a list."""
    return value if isinstance(value, list) else ()


@dataclass(frozen=True)
class TaskResult:
    """The scores of one task."""

    metrics: dict[str, float]
    """Metric -> value, in the order of the log; the reader leaves out metrics for which lower is better."""
    questions: int | None
    harness: str
    """Fingerprint of the questions and their grading, a few words and a hash: equal only for comparable scores."""


@dataclass(frozen=True)
class RunLog:
    """The scores of one run in one evaluation log file."""

    source: str
    run: RunPath
    tasks: dict[str, TaskResult]
    about: dict[str, str] = field(default_factory=dict)
    """Further columns that describe the run."""


def fingerprint(words: str, settings: Mapping[str, object]) -> str:
    """Returns the words, and a hash of everything that must be equal for scores to be comparable."""
    content = json.dumps(settings, sort_keys=True, default=str)
    return f"{words} #{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def logs_table(logs: Sequence[RunLog], metric: str, notes: Sequence[str]) -> RawTable:
    """Returns logs as a long table; a task's first metric in the first log counts unless the user names others.

    metric: the chosen metrics, separated by semicolons; each task takes the first that it has. Raises InputError for a
    metric that no task has, and for a value above 1 in a metric of fractions.
    """
    if not any(log.tasks for log in logs):
        raise InputError(f"{logs[0].source}: no task with results: evaluate it again, or omit it")
    wanted = [part.strip() for part in metric.split(";") if part.strip()]
    chosen, said = _chosen(logs, wanted)
    columns: dict[str, list[Raw]] = {
        name: [] for name in ("arm", "seed", "benchmark", "score", "questions", "harness", "folder")
    }
    more = tuple(dict.fromkeys(name for log in logs for name in log.about))
    columns |= {name: [] for name in more}
    segments: list[Segment] = []
    for log in logs:
        start = len(columns["arm"])
        for task, result in log.tasks.items():
            name = chosen.get(task)
            value = result.metrics.get(name) if name else None
            cells: dict[str, Raw] = {
                "arm": log.run.arm, "seed": log.run.seed, "benchmark": task, "questions": result.questions,
                "score": None if name is None or value is None else _points(name, value, f"{log.source}: {task}"),
                "harness": result.harness, "folder": log.run.folder or None,
            }  # fmt: skip
            for column in columns:
                columns[column].append(cells[column] if column in cells else log.about.get(column))
        count = len(columns["arm"]) - start
        if count:
            segments.append(Segment(log.source, start, "task", range(1, count + 1)))
    return RawTable(columns, tuple(segments), (*notes, *said))


def _chosen(logs: Sequence[RunLog], wanted: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Task -> its metric, and notes."""
    metrics: dict[str, dict[str, None]] = {}
    for log in logs:
        for task, result in log.tasks.items():
            metrics.setdefault(task, {}).update(dict.fromkeys(result.metrics))
    known = tuple(dict.fromkeys(name for names in metrics.values() for name in names))
    for name in wanted:
        if name not in known:
            raise InputError(f"no metric {name!r} for --column metric={name}: the logs have {short(known)}")
    chosen: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for task, names in metrics.items():
        asked = [name for name in wanted if name in names]
        if names:
            chosen[task] = asked[0] if asked else next(iter(names))
        if len(names) > 1 and not asked:
            several.setdefault(
                f"{chosen[task]} (not {', '.join(name for name in names if name != chosen[task])})", []
            ).append(task)
    used = tuple(dict.fromkeys(chosen.values()))
    notes = [f"metrics read: {short(used)}; these logs contain fractions of 1, which were multiplied by 100"]
    for which, tasks in several.items():
        notes.append(f"SEVERAL METRICS: {short(tasks)} by {which}; choose with --column 'metric=NAME;NAME'")
    without = [task for task in metrics if task not in chosen]
    if without:
        notes.append(f"tasks without a metric for which higher is better, left out: {short(without)}")
    return chosen, notes


def _points(name: str, value: float, where: str) -> float:
    if name.startswith(_SCALES_OF_100):
        return value
    if value > 1:
        raise InputError(f"{where}: {name} = {value:g} is not a fraction of 1, as expected in logs: export it as CSV")
    return round(value * 100, 10)
