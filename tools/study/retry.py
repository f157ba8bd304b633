"""Failed runs that tell nothing about their arm are made again, with the same seed."""

from tools.study.ledger import Ledger
from tools.study.rows import RunRow
from tools.study.study import Study
from training.run_files import RunFiles


def retry_failed(study: Study) -> tuple[RunRow, ...]:
    """Makes failed runs ready to be run again from their last checkpoint; gives them.

    A run that failed in training is left as it is: to run it until it survives would select survivors. How each
    attempt ended stays in its own folder and in the ledger. The study may not be running.
    """
    with study.ledger(read_only=True) as ledger:
        failed = tuple(run for run in ledger.runs() if run.state == "failed" and not run.is_outcome)
    if failed:
        with study.ledger() as ledger:
            for run in failed:
                _make_ready(study, ledger, run)
    return failed


def _make_ready(study: Study, ledger: Ledger, run: RunRow) -> None:
    """The ledger first: were the file gone first, a kill in between would leave a failed run without a result."""
    with ledger.transaction():
        ledger.set_run_state(run.id, "interrupted", run.reason)
        ledger.event("run_retried", f"run {run.arm} seed {run.seed}, which failed: {run.reason}")
    RunFiles(study.run_dir(run)).result.unlink(missing_ok=True)
