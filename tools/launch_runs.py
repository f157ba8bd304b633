"""Tool: start or go on with an approved study. The only tool that spends device-hours."""

from tools.study.manage import resume, start
from tools.study.rows import StudyState
from tools.study.status import StudyStatus
from tools.study.study import Study

_FRESH: tuple[StudyState, ...] = ("planned", "approved")


def launch_runs(study: Study, *, take_over: bool = False) -> StudyStatus:
    """Starts the supervisor; twice is once. RefusedError without an approval of the current plan."""
    with study.ledger(read_only=True) as ledger:
        fresh = ledger.study().state in _FRESH
    return start(study) if fresh and not take_over else resume(study, take_over=take_over)
