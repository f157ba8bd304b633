"""Generates greedy answers of an exported model with plain transformers: left-padded, float32, deterministic."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from policies.errors import InputError

BATCH = 256
"""Prompts per batch; fixed, because another batch shape may change a last bit and thus an answer."""


def check_export(export: Path) -> None:
    """Raises InputError, in one line, unless the folder has a complete Hugging Face model with its tokenizer."""
    advice = "the run did not finish its export; repeat the run"
    if not export.is_dir():
        raise InputError(f"no exported model at {export}; {advice}")
    lacking = [name for name in ("config.json", "tokenizer_config.json") if not (export / name).is_file()]
    index = export / "model.safetensors.index.json"
    if index.is_file():
        parts = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        lacking += sorted(part for part in parts if not (export / part).is_file())
    elif not (export / "model.safetensors").is_file():
        lacking.append("model.safetensors")
    if lacking:
        raise InputError(f"exported model {export} lacks {', '.join(lacking)}; {advice}")


def harness(max_new_tokens: int) -> str:
    """Describes what answers depend on besides model and questions; only scores with equal harness are comparable."""
    import torch
    import transformers

    return (
        f"transformers {transformers.__version__}, torch {torch.__version__}, cpu, float32, greedy, batch {BATCH}, "
        f"{max_new_tokens} new tokens"
    )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers by length, so that batches need little padding; ties keep their order."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for start in range(0, len(order), BATCH):
        yield order[start : start + BATCH]


def answer(model: Any, tokenizer: Any, prompts: Sequence[str], max_new_tokens: int) -> list[str]:
    """Returns a loaded model's greedy answer to each prompt, in order, without special tokens, by its chat template."""
    import torch

    chats = [
        tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True, tokenize=False)
        for prompt in prompts
    ]
    answers = [""] * len(chats)
    for rows in _batches([len(chat) for chat in chats]):
        batch = tokenizer(
            [chats[row] for row in rows],
            return_tensors="pt",
            padding=True,
            padding_side="left",
            add_special_tokens=False,
        )
        with torch.inference_mode():
            output = model.generate(**batch, max_new_tokens=max_new_tokens, do_sample=False)
        new = output[:, batch["input_ids"].shape[1] :]
        for row, text in zip(rows, tokenizer.batch_decode(new, skip_special_tokens=True), strict=True):
            answers[row] = text
    return answers


def generate(export: Path, prompts: Sequence[str], max_new_tokens: int) -> list[str]:
    """Returns the greedy answers of the model in a folder, like `answer`.

    Raises InputError for an export that is incomplete or cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    check_export(export)
    try:
        tokenizer = AutoTokenizer.from_pretrained(export, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(export, dtype=torch.float32, local_files_only=True).eval()
    except Exception as error:  # whatever a damaged file makes the loaders raise
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"exported model {export} cannot be loaded ({line}); repeat the run") from error
    return answer(model, tokenizer, prompts, max_new_tokens)
