"""Starting a study and staying with it: shared by `ask`, `run` and `resume`."""

import json
from pathlib import Path

from advisor.cli import output
from advisor.cli.status_view import follow
from policies.errors import AdvisorError, RefusedError
from tools.study.status import StudyStatus
from tools.study.study import Study


class Detached(Exception):  # noqa: N818 - the person left, nothing went wrong
    """Ctrl-C while following: the study goes on."""


def follow_to_end(study: Study) -> StudyStatus:
    """Shows the study until it stands still. Raises Detached on Ctrl-C."""
    try:
        return follow(study, output.talk())
    except KeyboardInterrupt:
        output.talk().print(
            f"detached; the study goes on\nsee it:  advisor status {study.name} --follow\n"
            f"stop it: advisor stop {study.name}",
            soft_wrap=True,
            markup=False,
        )
        raise Detached from None


def demand_done(status: StudyStatus) -> None:
    """Raises AdvisorError where the study stands still without being done, RefusedError where no data are valid."""
    name = status.id
    if status.state != "done":
        raise AdvisorError(f"{name} is {status.state}: {status.standing}")
    path = Path(status.folder) / "report" / "verdict.json"
    if not path.is_file():
        return
    try:
        found = json.loads(path.read_bytes())
        comparisons = found["verdict"]["comparisons"]
        invalid = comparisons and all(comparison["verdict"] == "invalid_data" for comparison in comparisons)
        faults = found["spread"]["faults"] if "spread" in found else ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AdvisorError(f"{path} is damaged; build it again with: advisor report {name}") from error
    if invalid:
        raise RefusedError(f"no comparison of {name} has valid data; see {path.with_name('report.md')}")
    if faults:
        raise RefusedError(f"{name} gives no spread ({faults[0]}); see {path.with_name('report.md')}")
