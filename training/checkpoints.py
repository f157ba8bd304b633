"""Exports verl's last checkpoint as a Hugging Face model after checking that it is complete."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policies.errors import AdvisorError


class IncompleteExportError(AdvisorError):
    """Raised for an exported model that must not be scored."""


def export_model(checkpoint: Path, reference: Path, export: Path, served: Mapping[str, str] | None) -> dict[str, Any]:
    """Copies the Hugging Face folder of `checkpoint` to `export` after checking each of its tensors.

    `reference` is the initial model: names and shapes must equal its own, with all values float32 and finite.
    `served` (tensor name -> sha256 of its bytes), if the rollout engine provides it, are the weights after the last
    step: every exported tensor must equal them. Returns what was checked; raises IncompleteExportError.
    """
    source = checkpoint / "actor" / "huggingface"
    if not (source / "config.json").is_file():
        raise IncompleteExportError(f"checkpoint {checkpoint} has no Hugging Face model; repeat the run")
    tensors = check_tensors(source, reference, served)
    answer = generate_probe(source)
    partial = export.with_name(f".{export.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial)
    shutil.rmtree(export, ignore_errors=True)
    partial.rename(export)
    return {"tensors": tensors, "compared_with_served_weights": served is not None, "probe_tokens": answer}


def check_tensors(folder: Path, reference: Path, served: Mapping[str, str] | None = None) -> int:
    """Checks all tensors in `folder` and returns their number; raises IncompleteExportError with the first faults."""
    import torch

    found, wanted = _load(folder), _load(reference)
    faults = [f"{name} is missing" for name in wanted if name not in found]
    faults += [f"{name} is not in the starting model" for name in found if name not in wanted]
    for name in wanted.keys() & found.keys():
        tensor = found[name]
        if tensor.shape != wanted[name].shape:
            faults.append(f"{name} has shape {tuple(tensor.shape)}, not {tuple(wanted[name].shape)}")
        elif tensor.dtype != torch.float32:
            faults.append(f"{name} is {tensor.dtype}, not torch.float32")
        elif not bool(torch.isfinite(tensor).all()):
            faults.append(f"{name} contains NaN or infinity")
        elif served is not None and served.get(name) != tensor_sha256(tensor):
            faults.append(f"{name} differs from the final weights of training")
    if faults:
        raise IncompleteExportError(f"exported model {folder}: {len(faults)} faults, e.g. {'; '.join(faults[:3])}")
    return len(found)


def tensor_sha256(tensor: Any) -> str:
    """Returns the sha256 of a tensor's bytes in row-major order."""
    return hashlib.sha256(tensor.detach().contiguous().cpu().numpy().tobytes()).hexdigest()


def generate_probe(folder: Path) -> int:
    """Loads the model with plain transformers, generates, and returns the number of new tokens, at least one."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "1+1"}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    with torch.no_grad():
        output = model.generate(**prompt, max_new_tokens=4, do_sample=False)
    new_tokens = int(output.shape[1] - prompt["input_ids"].shape[1])
    if new_tokens < 1:
        raise IncompleteExportError(f"exported model {folder} generates no tokens")
    return new_tokens


def _load(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise IncompleteExportError(f"model folder {folder} has no .safetensors file")
    return {name: tensor for file in files for name, tensor in load_file(file).items()}
