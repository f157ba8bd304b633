"""Resolves a recipe's model name to a folder or hub id, and identifies a folder's content."""

import hashlib
from pathlib import Path

from policies.errors import InputError
from training.support.nearest import nearest_or_all
from training.support.paths import expanded, is_file, is_folder

ASSETS = Path(__file__).parent / "assets"
BUILTIN = ("tiny-qwen2",)


def model_path(recipe_model: str) -> Path:
    """Returns the shipped folder of `builtin:NAME`; a local folder, absolute; or a Hugging Face id, unchanged.

    Raises InputError for an unknown built-in (with the nearest names) and for a folder that is not a model.
    """
    if recipe_model.startswith("builtin:"):
        name = recipe_model.removeprefix("builtin:")
        if name not in BUILTIN:
            known = tuple(f"builtin:{known}" for known in BUILTIN)
            raise InputError(
                f"unknown built-in model {recipe_model!r}; try one of: {nearest_or_all(recipe_model, known)}"
            )
        return ASSETS / name
    folder = expanded(recipe_model)
    if is_folder(folder):
        if not is_file(folder / "config.json"):
            raise InputError(f"model folder {recipe_model} has no config.json; name a folder in Hugging Face format")
        return folder.resolve()
    if folder.is_absolute() or recipe_model.startswith((".", "~")):
        raise InputError(
            f"model folder {recipe_model} does not exist; name a folder, a Hugging Face id or builtin:NAME"
        )
    return Path(recipe_model)


def model_sha256(path: Path) -> str:
    """Returns the sha256 over name and content of every file of a model folder, sorted by name; 64 hex digits."""
    files = sorted(
        (file for file in path.rglob("*") if file.is_file()), key=lambda file: file.relative_to(path).as_posix()
    )
    if not files:
        raise InputError(f"model folder {path} is empty or missing; name a folder in Hugging Face format")
    total = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        total.update(f"{file.relative_to(path).as_posix()}\0{content}\n".encode())
    return total.hexdigest()
