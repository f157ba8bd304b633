"""What a supervisor works with: who starts processes, who names runs, who evaluates. Tests bring their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tools.study.study import Study
from training.launchers.base import Launcher
from training.recipe import Recipe
from training.run_spec import RunSpec


class RunIdentity(Protocol):
    """What makes two runs the same run."""

    def artifacts(self, recipe: Recipe) -> dict[str, str]:
        """sha256 of model, data, reward function and plugin as they are here and now."""

    def versions(self) -> dict[str, str]:
        """Package versions here and now."""

    def run_key(self, spec: RunSpec, artifacts: dict[str, str], versions: dict[str, str]) -> str:
        """64 hex digits."""


class InstalledIdentity(RunIdentity):
    """Of this installation."""

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


def _evaluate(study: Study) -> None:
    from tools.study.evaluate import evaluate

    evaluate(study)


def _unobserved(_moment: str) -> None:
    return None


def _local_launcher() -> Launcher:
    from training.launchers.local import LocalLauncher

    return LocalLauncher()


@dataclass(frozen=True)
class Services:
    """The real ones by default."""

    launcher: Launcher
    identity: RunIdentity
    evaluate: Callable[[Study], None] = _evaluate
    """Writes the report from stored data; called when every block is scored."""
    observe: Callable[[str], None] = _unobserved
    """Told the kind of every event after it is stored, and `process_started` before its pid is."""
    poll_s: float = 0.2
    grace_s: float = 20.0
    """How long a run may take to end after SIGTERM."""

    @classmethod
    def installed(cls) -> "Services":
        """Processes of this machine, running what is installed."""
        return cls(launcher=_local_launcher(), identity=InstalledIdentity())
