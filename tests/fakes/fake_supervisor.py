"""A supervisor whose runs are stand-ins: `fake_supervisor.py STUDY_DIR [--take-over] [--die-at KIND N]`.

With `--die-at` it kills itself (SIGKILL) at the Nth moment of that kind. Every moment is appended to
moments.txt in the study folder.
"""

import os
import signal
import sys
from collections import Counter
from pathlib import Path

from policies.errors import AdvisorError
from tools.plan.run_identity import RunIdentity
from tools.study.folder import Study
from tools.study.supervisor.session import Services
from tools.study.supervisor.supervise import supervise
from training.identity import run_key
from training.launchers.local import LocalLauncher
from training.recipe import Recipe
from training.run_spec import RunSpec

HERE = Path(__file__).resolve().parent


class FixedIdentity(RunIdentity):
    def artifacts(self, recipe: Recipe) -> dict[str, str]:
        return {"model": "m" * 64}

    def versions(self) -> dict[str, str]:
        return {"verl": "0.9.1"}

    def run_key(self, spec: RunSpec, artifacts: dict[str, str], versions: dict[str, str]) -> str:
        return run_key(spec, artifacts, versions)


def evaluate(study: Study) -> None:
    (study.folder / "evaluated.txt").write_text("yes")


def services(observe) -> Services:
    launcher = LocalLauncher(
        run_command=(sys.executable, str(HERE / "fake_run.py")),
        score_command=(sys.executable, str(HERE / "fake_score.py")),
    )
    return Services(launcher, FixedIdentity(), evaluate=evaluate, observe=observe, poll_s=0.01, grace_s=5.0)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    wanted = (arguments[-2], int(arguments[-1])) if "--die-at" in arguments else None
    seen: Counter[str] = Counter()

    def observe(kind: str) -> None:
        seen[kind] += 1
        with (folder / "moments.txt").open("a") as record:
            record.write(f"{kind} {seen[kind]}\n")
        if wanted == (kind, seen[kind]):
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        return supervise(Study(folder), services(observe), take_over="--take-over" in arguments)
    except AdvisorError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
