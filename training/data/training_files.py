"""Training data for verl: two Parquet files in its schema, and a hash of their content."""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from policies.errors import InputError
from training.benchmarks.catalog import DOMAINS
from training.data.tiny import PoolRow, held_out, training_pool
from training.support.nearest import nearest_or_all

BUILTIN = ("builtin:tiny",)
VALIDATION_PER_BENCHMARK = 4
"""verl requires a validation file even if validation is off."""


class TrainingFiles(NamedTuple):
    """The paths of the two files."""

    train: Path
    validation: Path


def _check(recipe_data: str) -> None:
    if recipe_data not in BUILTIN:
        raise InputError(f"unknown training data {recipe_data!r}; try one of: {nearest_or_all(recipe_data, BUILTIN)}")


def domains(recipe_data: str) -> tuple[str, ...]:
    """Returns the domains of the data's prompts in their fixed order."""
    _check(recipe_data)
    return DOMAINS


def _verl_row(row: PoolRow, split: str, index: int) -> dict[str, Any]:
    return {
        "data_source": row.domain,
        "prompt": [{"role": "user", "content": row.prompt}],
        "ability": row.domain,
        "reward_model": {"style": "rule", "ground_truth": row.answer},
        "extra_info": {"split": split, "index": index, "domain": row.domain, "benchmark": row.benchmark},
    }


def training_rows(recipe_data: str) -> list[dict[str, Any]]:
    """Returns the training rows in verl's schema: data_source, prompt (a chat), ability, reward_model, extra_info."""
    _check(recipe_data)
    return [_verl_row(row, "train", index) for index, row in enumerate(training_pool())]


def _validation_rows() -> list[dict[str, Any]]:
    # Pool rows, never held-out questions: no training process may read the benchmarks.
    chosen: list[PoolRow] = []
    for benchmark in held_out():
        chosen += [row for row in training_pool() if row.benchmark == benchmark][:VALIDATION_PER_BENCHMARK]
    return [_verl_row(row, "validation", index) for index, row in enumerate(chosen)]


def training_data_sha256(recipe_data: str) -> str:
    """Returns a hash of the training rows' content and order, 64 hex digits; needs no Parquet library."""
    content = json.dumps(training_rows(recipe_data), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def write_training_data(recipe_data: str, folder: Path) -> TrainingFiles:
    """Writes `train.parquet` and `validation.parquet` into a folder, which is created if missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    files = TrainingFiles(folder / "train.parquet", folder / "validation.parquet")
    for path, rows in ((files.train, training_rows(recipe_data)), (files.validation, _validation_rows())):
        pq.write_table(pa.Table.from_pylist(rows), path)
    return files
