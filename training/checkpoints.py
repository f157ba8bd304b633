"""From verl's last checkpoint to an exported Hugging Face model, with proof that it is whole."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policies.errors import AdvisorError


class IncompleteExportError(AdvisorError):
    """An exported model that must not be scored."""


def export_model(checkpoint: Path, reference: Path, export: Path, served: Mapping[str, str] | None) -> dict[str, Any]:
    """Copies the Hugging Face folder of `checkpoint` to `export` once every tensor of it is checked.

    `reference` is the model that training started from: names and shapes must be its own, all in float32 and finite.
    `served` (tensor name -> sha256 of its bytes), where the rollout engine can tell, are the weights that the last
    step left behind: every exported tensor must equal them. Returns what was checked; raises IncompleteExportError.
    """
    source = checkpoint / "actor" / "huggingface"
    if not (source / "config.json").is_file():
        raise IncompleteExportError(f"checkpoint {checkpoint} holds no Hugging Face model; run the run again")
    tensors = check_tensors(source, reference, served)
    answer = generate_probe(source)
    partial = export.with_name(f".{export.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial)
    shutil.rmtree(export, ignore_errors=True)
    partial.rename(export)
    return {"tensors": tensors, "compared_with_served_weights": served is not None, "probe_tokens": answer}


def check_tensors(folder: Path, reference: Path, served: Mapping[str, str] | None = None) -> int:
    """Number of tensors in `folder`, all of which passed; raises IncompleteExportError with the first faults."""
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
            faults.append(f"{name} holds NaN or infinity")
        elif served is not None and served.get(name) != tensor_sha256(tensor):
            faults.append(f"{name} differs from the weights that training ended with")
    if faults:
        raise IncompleteExportError(f"exported model {folder}: {len(faults)} faults, e.g. {'; '.join(faults[:3])}")
    return len(found)


def tensor_sha256(tensor: Any) -> str:
    """sha256 of a tensor's bytes in row-major order."""
    return hashlib.sha256(tensor.detach().contiguous().cpu().numpy().tobytes()).hexdigest()


def generate_probe(folder: Path) -> int:
    """Loads the model with plain transformers and generates; the number of new tokens, at least one."""
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
        raise IncompleteExportError(f"exported model {folder} generates nothing")
    return new_tokens


def _load(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise IncompleteExportError(f"model folder {folder} holds no .safetensors file")
    return {name: tensor for file in files for name, tensor in load_file(file).items()}
