"""Tool: starts an approved study, or goes on with it. The only tool that spends device-hours."""

from collections.abc import Sequence

from tools.study.folder import Study
from tools.study.process import SUPERVISOR, resume, start
from tools.study.rows import StudyState
from tools.study.status import StudyStatus

_FRESH: tuple[StudyState, ...] = ("planned", "approved")


def launch_runs(study: Study, *, take_over: bool = False, supervisor: Sequence[str] = SUPERVISOR) -> StudyStatus:
    """Starts the supervisor; twice is once. Raises RefusedError without an approval of the current plan."""
    with study.ledger(read_only=True) as ledger:
        fresh = ledger.study().state in _FRESH
    if fresh and not take_over:
        return start(study, supervisor=supervisor)
    return resume(study, take_over=take_over, supervisor=supervisor)
