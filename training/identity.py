"""The identity of a run: hashes of its inputs, package versions, and the `run_key` over all of them."""

import hashlib
import importlib.metadata
import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import rfc8785

from policies.errors import AdvisorError
from policies.registry import outside_modules
from training.data.training_files import training_data_sha256
from training.models import model_path, model_sha256
from training.recipe import Recipe
from training.run_spec import RunSpec

VERSIONED = ("verl", "torch", "transformers", "ray", "tensordict", "TransferQueue", "torchdata", "numpy")
"""Packages whose version can change what a run computes."""


_OURS = Path(__file__).resolve().parent.parent


@cache
def source_sha256(*roots: Path) -> str:
    """Over the Python and YAML files of packages (a folder, or the one file of a module): names and contents."""
    total = hashlib.sha256()
    for root in roots:
        for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if file.suffix in {".py", ".yaml"}:
                total.update(f"{file.relative_to(root if root.is_dir() else root.parent).as_posix()}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def _third_parties() -> dict[str, str]:
    """sha256 of the source of installed third-party policies; empty if there are none."""
    places = [place for name in outside_modules() for place in _places(name)]
    return {"third_party_policies": source_sha256(*places)} if places else {}


def _places(module: str) -> list[Path]:
    """The folders of a top-level module, or its one file, found without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return []
    found = spec.submodule_search_locations or ([spec.origin] if spec.origin else [])
    return [Path(place) for place in found]


def artifact_hashes(recipe: Recipe) -> dict[str, str]:
    """Returns the sha256 of all inputs of a run besides its specification: model, data, grading, policies, plugin.

    Third-party policies are included if any are installed.
    """
    return {
        "model": model_sha256(model_path(recipe.model)),
        "training_data": training_data_sha256(recipe.data),
        "grading": source_sha256(_OURS / "training" / "grading"),
        "policies": source_sha256(_OURS / "policies"),
        "verl_plugin": source_sha256(_OURS / "training" / "verl_plugin"),
    } | _third_parties()


def package_versions() -> dict[str, str]:
    """Returns the installed versions; raises AdvisorError with the missing packages and the command to install them."""
    versions, missing = {}, []
    for name in VERSIONED:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        from training.overrides import TRAIN_EXTRA

        raise AdvisorError(f"training needs packages that are not installed: {', '.join(missing)}; run: {TRAIN_EXTRA}")
    return versions


def run_key(spec: RunSpec, artifacts: dict[str, str], versions: dict[str, str]) -> str:
    """Returns the sha256 (64 hex) over RFC 8785 JSON of recipe, policy, seed, replicate, artifacts and versions."""
    content: dict[str, Any] = {
        "recipe": spec.recipe.held_fixed(), "policy": spec.policy.model_dump(mode="json"), "seed": spec.seed,
        "replicate": spec.replicate, "artifacts": artifacts, "versions": versions,
    }  # fmt: skip
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()
