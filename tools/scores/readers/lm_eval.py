"""Reads results of EleutherAI's lm-evaluation-harness: `results_<date>.json`, one file for each run and call.

Layout (lm_eval/loggers/evaluation_tracker.py and evaluator.py of its repository, 0.4): `results` is task -> {"alias",
"metric,filter": value, "metric_stderr,filter": value}; `group_subtasks` says which tasks an aggregate has; `n-samples`
is task -> {"original", "effective"}; `versions`, `n-shot`, `higher_is_better`, `task_hashes` (of the prompts, when
samples were logged), `config`, `model_name`, `lm_eval_version`. Before 0.4 a metric had no filter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.scores.readers.run_log import RunLog, TaskResult, fields, fingerprint, items
from tools.scores.readers.run_paths import RunPath, run_from

_SETTINGS = ("limit", "gen_kwargs", "fewshot_seed", "random_seed")
_PROMPT = ("system_instruction_sha", "chat_template_sha", "fewshot_as_multiturn")
_COUNTERS = frozenset({"samples", "sample_len", "sample_count"})


def is_lm_eval(content: object) -> bool:
    """Returns whether this JSON value is a results file of lm-eval."""
    return (
        isinstance(content, dict)
        and isinstance(content.get("results"), dict)
        and any(name in content for name in ("versions", "config", "configs", "n-shot", "n-samples"))
    )


def read_lm_eval(content: Mapping[str, Any], source: str) -> RunLog:
    """Returns the scores in one results file. Raises InputError if no folder or model name gives arm and seed."""
    results = {task: row for task, row in content["results"].items() if isinstance(row, Mapping)}
    return RunLog(
        source,
        _run(content, source),
        {
            task: TaskResult(_metrics(content, task, results[task]), _questions(content, task), _harness(content, task))
            for task in _kept(content, results)
        },
    )


def _run(content: Mapping[str, Any], source: str) -> RunPath:
    model = str(content.get("model_name") or "") or _model_of(fields(content.get("config")).get("model_args"))
    return run_from(source, model)


def _model_of(arguments: object) -> str:
    """The model's path in the arguments, which are a mapping or `pretrained=...,dtype=...`."""
    if isinstance(arguments, Mapping):
        given = {str(name): str(value) for name, value in arguments.items()}
    else:
        pairs = (part.partition("=") for part in str(arguments or "").split(","))
        given = {name.strip(): value for name, _, value in pairs}
    return next((given[name] for name in ("peft", "delta", "pretrained", "model", "path") if given.get(name)), "")


def _kept(content: Mapping[str, Any], results: Mapping[str, Any]) -> list[str]:
    """The tasks that are benchmarks: an aggregate with its own score replaces its parts."""
    parts = fields(content.get("group_subtasks"))
    inside: set[str] = set()
    for group, tasks in parts.items():
        if group in results and _metrics(content, group, results[group]):
            inside |= set(_below(parts, items(tasks)))
    return [task for task in results if task not in inside]


def _below(parts: Mapping[str, Any], tasks: Sequence[object]) -> list[str]:
    """The tasks and their subtasks, at any depth."""
    found: list[str] = []
    waiting = [str(task) for task in tasks]
    while waiting:
        task = waiting.pop()
        if task not in found:
            found.append(task)
            waiting += [str(part) for part in items(parts.get(task))]
    return found


def _metrics(content: Mapping[str, Any], task: str, row: Mapping[str, Any]) -> dict[str, float]:
    better = fields(fields(content.get("higher_is_better")).get(task))
    found: dict[str, float] = {}
    for name, value in row.items():
        base = name.partition(",")[0]
        if name in _COUNTERS or base.endswith("_stderr") or isinstance(value, bool):
            continue
        if not isinstance(value, int | float) or better.get(base) is False:
            continue
        found[name] = float(value)
    return found


def _questions(content: Mapping[str, Any], task: str) -> int | None:
    """Number of questions answered, for a group the sum over its tasks; None if the file does not give it."""
    samples = fields(content.get("n-samples"))
    names = [task] if task in samples else _below(fields(content.get("group_subtasks")), [task])
    counts = [fields(samples[name]).get("effective") for name in names if name in samples]
    whole = [count for count in counts if isinstance(count, int)]
    return sum(whole) if whole and len(whole) == len(counts) else None


def _harness(content: Mapping[str, Any], task: str) -> str:
    config = fields(content.get("config"))
    version, shots, prompts = (fields(content.get(name)).get(task) for name in ("versions", "n-shot", "task_hashes"))
    program = content.get("lm_eval_version") or ""
    words = [f"lm-eval {program}".strip(), f"task version {version}" if version is not None else ""]
    words.append(f"{shots}-shot" if shots is not None else "")
    settings = {name: config.get(name) for name in _SETTINGS} | {name: content.get(name) for name in _PROMPT}
    return fingerprint(
        ", ".join(word for word in words if word),
        {**settings, "version": version, "shots": shots, "program": program, "prompts": prompts},
    )
