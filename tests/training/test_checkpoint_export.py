"""An exported model is scored only when every tensor of it is right."""

import shutil
from pathlib import Path

import pytest

from training.models import model_path

torch = pytest.importorskip("torch", reason="needs the train extra")
safetensors = pytest.importorskip("safetensors.torch", reason="needs the train extra")

from training.checkpoints import IncompleteExportError, check_tensors, export_model, tensor_sha256  # noqa: E402

REFERENCE = model_path("builtin:tiny-qwen2")


def tensors() -> dict[str, "torch.Tensor"]:
    return dict(safetensors.load_file(REFERENCE / "model.safetensors"))


def saved(folder: Path, content: dict[str, "torch.Tensor"]) -> Path:
    target = folder / "global_step_1" / "actor" / "huggingface"
    shutil.copytree(REFERENCE, target)
    safetensors.save_file(content, target / "model.safetensors", metadata={"format": "pt"})
    return folder / "global_step_1"


def test_a_whole_model_is_exported_and_generates(tmp_path: Path) -> None:
    content = {name: tensor + 0.01 for name, tensor in tensors().items()}
    served = {name: tensor_sha256(tensor) for name, tensor in content.items()}
    checked = export_model(saved(tmp_path, content), REFERENCE, tmp_path / "export", served)
    assert checked["tensors"] == len(content)
    assert checked["probe_tokens"] >= 1
    assert (tmp_path / "export" / "model.safetensors").is_file()


def _first(content: dict[str, "torch.Tensor"]) -> str:
    return sorted(content)[0]


def test_each_kind_of_fault_is_named_and_nothing_is_exported(tmp_path: Path) -> None:
    name = _first(tensors())
    faults = {
        "is missing": lambda tensor: None,
        "has shape": lambda tensor: tensor[:1].clone(),
        "is torch.bfloat16": lambda tensor: tensor.bfloat16(),
        "NaN or infinity": lambda tensor: tensor * float("nan"),
    }
    for number, (said, spoil) in enumerate(faults.items()):
        content = tensors()
        spoiled = spoil(content.pop(name))
        if spoiled is not None:
            content[name] = spoiled
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(IncompleteExportError, match=said):
            export_model(saved(folder, content), REFERENCE, folder / "export", None)
        assert not (folder / "export").exists()


def test_weights_that_training_did_not_end_with_are_refused() -> None:
    served = {name: tensor_sha256(tensor) for name, tensor in tensors().items()}
    served[_first(tensors())] = "0" * 64
    with pytest.raises(IncompleteExportError, match="differs from the final weights of training"):
        check_tensors(REFERENCE, REFERENCE, served)


def test_a_checkpoint_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IncompleteExportError, match="has no Hugging Face model"):
        export_model(tmp_path, REFERENCE, tmp_path / "export", None)
