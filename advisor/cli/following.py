"""Follows a study to its end: shared by `ask`, `run` and `resume`."""

from pathlib import Path

from advisor.cli import output
from advisor.views.status import follow
from policies.errors import AdvisorError, RefusedError
from tools import catalogue
from tools.report.study.verdict_json import StudyVerdict
from tools.study.folder import Study
from tools.study.status import StudyStatus


class Detached(Exception):  # noqa: N818 - the person left, nothing went wrong
    """Raised on Ctrl-C while following; the study keeps running."""


def follow_to_end(study: Study) -> StudyStatus:
    """Shows progress until the study stops. Raises Detached on Ctrl-C."""
    try:
        return follow(study, output.talk())
    except KeyboardInterrupt:
        output.talk().print(
            f"detached; the study keeps running\nsee it:  advisor status {study.name} --follow\n"
            f"stop it: advisor stop {study.name}",
            soft_wrap=True,
            markup=False,
        )
        raise Detached from None


def demand_done(status: StudyStatus) -> None:
    """Raises AdvisorError if the study stopped before it was done, RefusedError if no data are valid."""
    name = status.id
    if status.state != "done":
        raise AdvisorError(f"{name} is {status.state}: {status.standing}")
    demand_valid(catalogue.read_verdict(Study(Path(status.folder))), Path(status.folder) / "report" / "report.md")


def demand_valid(found: StudyVerdict, page: Path) -> None:
    """Raises RefusedError, pointing to the report, if no comparison has valid data or no spread was estimated."""
    if found.all_invalid:
        raise RefusedError(f"no comparison of {found.study_id} has valid data; see {page}")
    if found.spread is not None and found.spread.faults:
        raise RefusedError(f"{found.study_id} gives no spread ({found.spread.faults[0]}); see {page}")
