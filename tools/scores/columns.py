"""The column of each role, recognised by its name or named by the user."""

import re
from collections.abc import Mapping, Sequence

from policies.errors import InputError
from training.support.nearest import nearest

ALIASES: dict[str, tuple[str, ...]] = {
    "arm": ("arm", "method", "policy", "algorithm", "algo", "config", "configuration", "strategy", "data_policy"),
    "seed": ("seed", "random_seed", "run_seed", "rng_seed", "train_seed", "training_seed", "data_seed"),
    "control": ("control", "control_arm", "control_method", "reference_arm"),
    "replicate": ("replicate", "replica", "repetition"),
    "benchmark": ("benchmark", "task", "dataset", "benchmark_name", "task_name", "dataset_name", "bench"),
    "domain": ("domain", "category", "benchmark_domain"),
    "score": ("score", "value", "accuracy", "acc", "points", "metric_value", "pass@1", "pass_1"),
    "questions": (
        *("questions", "n", "n_questions", "num_questions", "question_count"),
        *("num_samples", "n_samples", "samples", "num_examples", "n_examples"),
    ),
    "harness": ("harness", "harness_fingerprint", "fingerprint", "harness_version", "eval_harness", "harness_hash"),
    "suite": ("suite", "benchmark_suite"),
}
"""Role -> column names for it, lower case with underscores. Two of them in one file are an error, never a guess."""
LONG_ROLES = ("benchmark", "score", "questions", "domain")
"""Roles that only a long table (one score per row) has. In a wide table their names have no special meaning."""
LISTS = ("benchmarks", "group", "ignore")
"""Roles that may have several columns, given as a comma-separated list."""
GROUPS = (
    "model", "model_name", "base_model", "campaign", "regime", "recipe", "setting", "experiment", "study", "size",
    "model_size", "params_b", "params", "family", "model_family", "variant", "steps", "step", "checkpoint", "folder",
)  # fmt: skip
"""Names of columns that usually separate cells, those that do it best first."""


def normal(name: str) -> str:
    """Normalises a column name: lower case, with runs of spaces, dots, dashes and slashes as one underscore."""
    return re.sub(r"[\s_.\-/]+", "_", name.strip().casefold()).strip("_")


def find_roles(header: Sequence[str], named: Mapping[str, str] | None = None) -> dict[str, str]:
    """Returns role -> column: first as named by the user, then by the column names.

    Raises InputError for an unknown role or column, and if two columns could have the same role.
    """
    chosen = _named(header, named or {})
    taken = {column for role, column in chosen.items() if role not in LISTS}
    taken |= {column for role in LISTS if role in chosen for column in split(chosen[role], header)}
    free = {
        role: [column for column in header if column not in taken and normal(column) in aliases]
        for role, aliases in ALIASES.items()
    }
    long = all(role in chosen or free[role] for role in ("benchmark", "score"))
    for role, found in free.items():
        if role in chosen or not found or (role in LONG_ROLES and not long):
            continue
        if len(found) > 1:
            raise InputError(
                f"{' and '.join(repr(column) for column in found)} could each be the {role} column: "
                f"choose one with --column {role}={found[0]} and ignore the other with --column ignore={found[1]}"
            )
        chosen[role] = found[0]
    return chosen


def split(columns: str, header: Sequence[str]) -> tuple[str, ...]:
    """Splits a comma-separated list of columns; a name in the header may itself contain commas."""
    parts = [part.strip() for part in columns.split(",")]
    found: list[str] = []
    while parts:
        ends = [end for end in range(len(parts), 1, -1) if _joined(parts[:end], header)]
        end = ends[0] if ends else 1
        name = _joined(parts[:end], header) or parts[0]
        found += [name] if name else []
        parts = parts[end:]
    return tuple(found)


def _joined(parts: Sequence[str], header: Sequence[str]) -> str:
    """The column of the header whose name these parts make up; empty if there is none."""
    return next((name for name in header if [part.strip() for part in name.split(",")] == list(parts)), "")


def short(names: Sequence[str], limit: int = 8) -> str:
    """Lists names for a one-line note: at most `limit`, then the number of the others."""
    rest = len(names) - limit
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:limit])} and {rest} more"


def _named(header: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for role, columns in named.items():
        if role not in ALIASES and role not in LISTS:
            near = nearest(role, (*ALIASES, *LISTS)) or (*ALIASES, *LISTS)
            raise InputError(f"unknown role {role!r} in --column {role}={columns}: use one of {', '.join(near)}")
        for column in split(columns, header) if role in LISTS else (columns,):
            if column not in header:
                near = nearest(column, header) or tuple(header)[:8]
                raise InputError(f"no column {column!r} for --column {role}={columns}; choose from: {', '.join(near)}")
        chosen[role] = columns
    return chosen
