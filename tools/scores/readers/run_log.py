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
"""Metrics that are written in points of 100 already, by the beginnings of their names."""


def fields(value: object) -> Mapping[str, Any]:
    """The fields of a part of a log; none where it is no object: logs are anybody's, and versions differ."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> Sequence[Any]:
    """The items of a part of a log; none where it is no list."""
    return value if isinstance(value, list) else ()


@dataclass(frozen=True)
class TaskResult:
    """The scores of one task."""

    metrics: dict[str, float]
    """Metric -> value, in the order of the log; those that are better when lower are left out by the reader."""
    questions: int | None
    harness: str
    """What was asked and how it was graded, in a few words and a hash: equal only for comparable scores."""


@dataclass(frozen=True)
class RunLog:
    """One file."""

    source: str
    run: RunPath
    tasks: dict[str, TaskResult]
    about: dict[str, str] = field(default_factory=dict)
    """More columns, of what the log says of its run."""


def fingerprint(words: str, settings: Mapping[str, object]) -> str:
    """Words for people, and a hash of everything that must be equal for scores to be comparable."""
    content = json.dumps(settings, sort_keys=True, default=str)
    return f"{words} #{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def logs_table(logs: Sequence[RunLog], metric: str, notes: Sequence[str]) -> RawTable:
    """Logs as a long table. Of a task's metrics the first one of the first log counts, unless the person names others.

    metric: the metrics wanted, separated by semicolons; each task takes the first that it has. Raises InputError for a
    metric that no task has, and for a value that is no fraction where fractions are written.
    """
    if not any(log.tasks for log in logs):
        raise InputError(f"{logs[0].source}: no task with results: evaluate it again, or leave it out")
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
    notes = [f"metrics read: {short(used)}; fractions of 1 as these logs write them, multiplied by 100"]
    for which, tasks in several.items():
        notes.append(f"SEVERAL METRICS: {short(tasks)} counts by {which}; choose with --column 'metric=NAME;NAME'")
    without = [task for task in metrics if task not in chosen]
    if without:
        notes.append(f"tasks without a score that is better when higher, left out: {short(without)}")
    return chosen, notes


def _points(name: str, value: float, where: str) -> float:
    if name.startswith(_SCALES_OF_100):
        return value
    if value > 1:
        raise InputError(f"{where}: {name} = {value:g} is no fraction of 1, which these logs write: export it as CSV")
    return round(value * 100, 10)
