"""Are two arms matched? All that one run ran with, against the other; only the policy and run paths may differ."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from policies.errors import InputError
from policies.model import StrictModel, describe_faults
from training.overrides import escaped
from training.run_files import RecordedFacts, RunFiles
from training.support.yaml_files import parse_mapping
from training.verl_plugin.delivery_log import read_records

COMPARED = (
    "resolved config", "arguments", "environment", "artifact hashes", "package versions", "hardware class",
    "steps, prompts and rollouts a step",
)  # fmt: skip
"""What `match_runs` looks at, for the report."""

Apart = Literal["policy", "replicate", "seed"]
"""What the arms of a study may differ in: policies as a rule, in a noise study the replicate or the seed."""

POLICY_KEY = "advisor.policy"
_OF_ARM: dict[Apart, re.Pattern[str]] = {
    "policy": re.compile(rf"^{re.escape(POLICY_KEY)}(?:\.|$)"),
    "replicate": re.compile(r"^advisor\.replicate$"),
    "seed": re.compile(r"(?:^|[._])seed$"),
}
"""Config keys that tell one arm from another."""
_RUN_DIR = "<run directory>"
_POLICY = "<policy>"
_ABSENT = "(absent)"


class RunFacts(StrictModel):
    """What one run ran with."""

    run_dirs: tuple[str, ...]
    """Names of its folder, as its files spell it: where it ran, and where it is now."""
    config: dict[str, Any]
    """verl's resolved configuration, nested."""
    argv: tuple[str, ...]
    recorded: RecordedFacts
    prompts: tuple[int, ...]
    """Of each optimiser step."""
    rollouts: tuple[int, ...]

    @classmethod
    def read(cls, run_dir: Path) -> "RunFacts":
        """From `config.yaml`, `argv.txt`, `facts.json` and `delivery.jsonl` of a run directory.

        Raises InputError naming the file that is missing or does not fit.
        """
        files = RunFiles(run_dir)
        file = files.config
        try:
            config = parse_mapping(files.config.read_text(encoding="utf-8"))
            file = files.argv
            argv = tuple(files.argv.read_text(encoding="utf-8").splitlines())
            file = files.facts
            recorded = RecordedFacts.model_validate_json(files.facts.read_text(encoding="utf-8"))
            file = files.delivery
            records = read_records(files.delivery)
        except OSError as error:
            raise InputError(f"{file}: {error.strerror}; the run's record is incomplete, run it again") from error
        except ValidationError as error:
            raise InputError(f"{file} does not fit: {describe_faults(error)}; run it again") from error
        except ValueError as error:
            raise InputError(f"{file} cannot be read: {error}; run it again") from error
        return cls(
            run_dirs=_run_dirs(run_dir, config),
            config=config,
            argv=argv,
            recorded=recorded,
            prompts=tuple(record.prompts for record in records),
            rollouts=tuple(record.rollouts for record in records),
        )


class Difference(StrictModel):
    """One thing that differs between the runs of a pair and may not."""

    seed: int
    key: str
    """`config data.seed`, `environment OMP_NUM_THREADS`, `artifact model`, `version torch`, `argument 3`, ..."""
    a: str
    b: str


def in_common(one: RunFacts, other: RunFacts) -> tuple[RunFacts, RunFacts]:
    """Both with the steps that both made, where one of them ended early."""
    steps = min(len(one.prompts), len(other.prompts))
    first, second = (
        facts.model_copy(update={"prompts": facts.prompts[:steps], "rollouts": facts.rollouts[:steps]})
        for facts in (one, other)
    )
    return first, second


def match_runs(a: RunFacts, b: RunFacts, seed: int, apart: Apart = "policy") -> tuple[Difference, ...]:
    """Everything that differs between two runs of a pair, but for what the arms are to differ in and for paths in the
    run directories.

    Empty: matched. The policy's keys are those at and under `advisor.policy`, in the config and in the arguments; the
    replicate's is `advisor.replicate`; the seed's are all that end in `seed`. Runs whose configs agree on another seed
    than `seed` differ too.
    """
    ours, theirs = _facts(a, apart), _facts(b, apart)
    found = [
        _difference(seed, key, ours.get(key, _ABSENT), theirs.get(key, _ABSENT))
        for key in dict.fromkeys([*ours, *theirs])
        if ours.get(key) != theirs.get(key)
    ]
    recorded = [dict(flattened(run.config)).get("advisor.seed") for run in (a, b)]
    if recorded[0] == recorded[1] != seed:
        key = f"config advisor.seed (the pair is of seed {seed})"
        found.append(Difference(seed=seed, key=key, a=str(recorded[0]), b=str(recorded[1])))
    return tuple(found)


def _facts(run: RunFacts, apart: Apart) -> dict[str, str]:
    """Every compared thing by name, in the order in which it is reported."""
    of_arm = _OF_ARM[apart]
    facts = {
        f"config {key}": json.dumps(value, default=str)
        if not isinstance(value, str)
        else _without_run_dir(value, run.run_dirs)
        for key, value in flattened(run.config)
        if not of_arm.search(key)
    }
    plain = [_without_run_dir(argument, run.run_dirs) for argument in run.argv]
    arguments = [without_policy(argument) if apart == "policy" else _without(apart, argument) for argument in plain]
    kept = [argument for argument in arguments if argument != _POLICY]
    facts |= {f"argument {place}": argument for place, argument in enumerate(kept, start=1)}
    recorded = run.recorded
    named = {"environment": recorded.environment, "artifact": recorded.artifacts, "version": recorded.versions}
    for kind, values in named.items():
        facts |= {f"{kind} {key}": _without_run_dir(value, run.run_dirs) for key, value in sorted(values.items())}
    facts["hardware class"] = recorded.hardware
    facts["optimiser steps"] = str(len(run.prompts))
    for what, numbers in (("prompts", run.prompts), ("rollouts", run.rollouts)):
        facts[f"{what} a step"] = _runs_of(numbers)
    return facts


def _without(apart: Apart, argument: str) -> str:
    """A hydra override without the seed (`data.seed=1`) or the replicate (`+advisor={seed:1,replicate:0,...}`)."""
    key, _, value = argument.partition("=")
    if key.lstrip("+") == "advisor":
        start = value.find("policy:{")
        before = re.sub(rf"\b{apart}:\d+", f"{apart}:<{apart}>", value[:start])
        return f"{key}={before}{value[start:]}"
    return f"{key}=<{apart}>" if _OF_ARM[apart].search(key.lstrip("+")) else argument


def flattened(value: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Leaves of nested mappings and lists as (`a.b[0].c`, value); an empty mapping or list is a leaf."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from flattened(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple) and value:
        for place, inner in enumerate(value):
            yield from flattened(inner, f"{key}[{place}]")
    else:
        yield key, value


def without_policy(argument: str) -> str:
    """A hydra override without the policy: `advisor.policy...=` becomes a placeholder, so does `policy:{...}` in
    `+advisor={...}`; any other argument is left as it is."""
    key, _, value = argument.partition("=")
    key = key.lstrip("+")
    if key == POLICY_KEY or key.startswith(f"{POLICY_KEY}."):
        return _POLICY
    if key != "advisor":
        return argument
    start = re.search(r"(?<=[{,])\s*policy:\s*\{", value)
    if start is None:
        return argument
    end = _closing_brace(value, start.end() - 1)
    return f"{argument[: len(argument) - len(value)]}{value[: start.start()]}policy:{_POLICY}{value[end:]}"


def _closing_brace(text: str, opening: int) -> int:
    """Index after the brace that closes the one at `opening`; braces in single quotes do not count."""
    depth, quoted, place = 0, False, opening
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 1
        elif character == "'":
            quoted = not quoted
        elif not quoted:
            depth += (character == "{") - (character == "}")
            if depth == 0:
                return place + 1
        place += 1
    return len(text)


def _run_dirs(run_dir: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    """A study may have been moved since: its config still names the folder in which it ran."""
    names = [str(run_dir.absolute()), str(run_dir.resolve())]
    ours = config.get("advisor")
    recorded = ours.get("delivery_file") if isinstance(ours, dict) else None
    if isinstance(recorded, str) and Path(recorded).is_absolute():
        names.append(str(Path(recorded).parent))
    return tuple(dict.fromkeys([*names, *map(escaped, names)]))  # arguments spell quotes in a way of their own


def _without_run_dir(text: str, run_dirs: Sequence[str]) -> str:
    """Paths in the run directory with a placeholder; which attempt it was is part of the path."""
    for folder in run_dirs:
        text = re.sub(re.escape(folder) + r"(?![^/'\",:;\s}\])])", _RUN_DIR, text)
    return re.sub(re.escape(_RUN_DIR) + r"/attempts/\d+(?=/|$)", f"{_RUN_DIR}/attempts/<k>", text)


def _runs_of(numbers: Sequence[int]) -> str:
    """`16 x 60`, or `16 x 30, 12 x 30`: equal neighbours together."""
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and parts[-1][0] == number:
            parts[-1] = (number, parts[-1][1] + 1)
        else:
            parts.append((number, 1))
    return ", ".join(f"{number} x {count}" for number, count in parts) or "none"


def _difference(seed: int, key: str, a: str, b: str, limit: int = 120) -> Difference:
    """Long values from shortly before the place where they part."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    start = max(0, same - 20) if max(len(a), len(b)) > limit else 0

    def shown(text: str) -> str:
        cut = text[start : start + limit]
        return f"{'...' if start else ''}{cut}{'...' if start + limit < len(text) else ''}"

    return Difference(seed=seed, key=key, a=shown(a), b=shown(b))
