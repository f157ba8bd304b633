"""How a supervisor identifies runs: artifact hashes, package versions and run keys. Tests substitute their own."""

from typing import Protocol

from training.recipe import Recipe
from training.run_spec import RunSpec


class RunIdentity(Protocol):
    """The interface that defines when two runs are the same run."""

    def artifacts(self, recipe: Recipe) -> dict[str, str]:
        """Returns the sha256 of model, data, reward function and plugin as currently installed."""

    def versions(self) -> dict[str, str]:
        """Returns the currently installed package versions."""

    def run_key(self, spec: RunSpec, artifacts: dict[str, str], versions: dict[str, str]) -> str:
        """Returns the key of a run, 64 hex digits."""


class InstalledIdentity(RunIdentity):
    """The run identity of this installation."""

    def artifacts(self, recipe: Recipe) -> dict[str, str]:
        """See `RunIdentity`."""
        from training.identity import artifact_hashes

        return artifact_hashes(recipe)

    def versions(self) -> dict[str, str]:
        """See `RunIdentity`."""
        from training.identity import package_versions

        return package_versions()

    def run_key(self, spec: RunSpec, artifacts: dict[str, str], versions: dict[str, str]) -> str:
        """See `RunIdentity`."""
        from training.identity import run_key

        return run_key(spec, artifacts, versions)
