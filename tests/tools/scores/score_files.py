"""Score files for tests, written as the tools that they come from write them."""

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.scores.book import ScoreBook
from tools.scores.readers.read import read_scores

HEAD = "method,seed,gsm8k,math500\n"
PLAIN = HEAD + "a,1,45.2,60\na,2,46.1,61\na,3,44.3,60.5\nb,1,47.0,62\nb,2,44.9,61.5\nb,3,46.6,62.25\n"
"""Two arms, three seeds, two benchmarks."""


def lm_eval_results(results: Mapping[str, Mapping[str, Any]], **changes: Any) -> dict[str, Any]:
    """A results file of lm-eval 0.4.

    Fields and nesting from lm_eval/loggers/evaluation_tracker.py (GeneralConfigTracker, save_results_aggregated) and
    lm_eval/evaluator.py of EleutherAI/lm-evaluation-harness.
    """
    return {
        "results": {task: {"alias": task, **metrics} for task, metrics in results.items()},
        "group_subtasks": {task: [] for task in results},
        "configs": {task: {"task": task, "num_fewshot": 5, "output_type": "generate_until"} for task in results},
        "versions": dict.fromkeys(results, 3.0),
        "n-shot": dict.fromkeys(results, 5),
        "higher_is_better": {
            task: {name.partition(",")[0]: True for name in metrics} for task, metrics in results.items()
        },
        "n-samples": {task: {"original": 1319, "effective": 1319} for task in results},
        "config": {
            "model": "vllm", "model_args": "pretrained=/ckpt/model,dtype=bfloat16", "batch_size": "auto",
            "limit": None, "gen_kwargs": None, "random_seed": 0, "numpy_seed": 1234, "fewshot_seed": 1234,
        },
        "git_hash": "5b321a1", "date": 1758000000.0, "transformers_version": "4.55.0", "lm_eval_version": "0.4.9",
        "task_hashes": dict.fromkeys(results, "f00d"),
        "model_source": "vllm", "model_name": "/ckpt/model", "model_name_sanitized": "__ckpt__model",
        "system_instruction": None, "system_instruction_sha": None, "fewshot_as_multiturn": False,
        "chat_template": None, "chat_template_sha": None, "start_time": 1.0, "end_time": 2.0,
        "total_evaluation_time_seconds": "1.0",
        **changes,
    }  # fmt: skip


def write_lm_eval(folder: Path, results: Mapping[str, Mapping[str, Any]], **changes: Any) -> Path:
    """Writes it where lm-eval would below this output path."""
    path = folder / "__ckpt__model" / "results_2026-04-15T13-55-33.588896.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(lm_eval_results(results, **changes), indent=2))
    return path


def inspect_header(task: str, value: float | None, **changes: Any) -> dict[str, Any]:
    """The header of an Inspect log, version 2: fields and order as inspect_ai 0.3.285 writes them."""
    metrics = {
        name: {"name": name, "value": number, "params": {}} for name, number in (("accuracy", value), ("stderr", 0.02))
    }
    results = {
        "total_samples": 200, "completed_samples": 200,
        "scores": [{"name": "match", "scorer": "match", "params": {}, "metrics": metrics}],
    }  # fmt: skip
    spec = {
        "eval_id": "e", "run_id": "r", "created": "2026-11-30T15:23:41+00:00", "task": task, "task_id": "t",
        "task_version": 3, "task_args": {}, "dataset": {"samples": 200, "shuffled": False}, "model": "vllm/model",
        "model_generate_config": {}, "model_args": {}, "config": {"epochs": 1, "log_samples": True},
        "packages": {"inspect_ai": "0.3.285"}, "scorers": [{"name": "match", "options": {}}],
        **changes,
    }  # fmt: skip
    return {
        "version": 2, "status": "success" if value is not None else "error", "eval": spec, "plan": {"name": "plan"},
        **({"results": results} if value is not None else {}), "stats": {},
    }  # fmt: skip


def inspect_log(header: Mapping[str, Any], zstandard: bool = False) -> bytes:
    """An `.eval` file with this header, its member deflated or, as newer versions do it, compressed with zstandard."""
    content = json.dumps(header).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": header["eval"]}))
        if not zstandard:
            archive.writestr("header.json", content)
    return _with_zstandard_member(file.getvalue(), content) if zstandard else file.getvalue()


def _with_zstandard_member(archive: bytes, content: bytes) -> bytes:
    """The zip with a further member in compression method 93, which Python's zipfile cannot write before 3.14."""
    import zlib

    import zstandard

    packed = zstandard.ZstdCompressor().compress(content)
    stored = io.BytesIO(archive)
    with zipfile.ZipFile(stored, "a", zipfile.ZIP_STORED) as target:
        target.writestr("header.json", packed)
        offset = target.getinfo("header.json").header_offset
    data = bytearray(stored.getvalue())
    struct.pack_into("<HHHIII", data, offset + 8, 93, 0, 0, zlib.crc32(content), len(packed), len(content))
    central = data.rindex(b"PK\x01\x02")
    struct.pack_into("<HHHIII", data, central + 10, 93, 0, 0, zlib.crc32(content), len(packed), len(content))
    return bytes(data)


def read(folder: Path, data: str | bytes, name: str = "t.csv", **arguments: object) -> ScoreBook:
    """The book of a file with this content."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_scores([path], **arguments)  # type: ignore[arg-type]
