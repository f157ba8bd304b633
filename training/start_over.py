"""Restarts a run from its first step if the delivery record of its earlier steps is missing or damaged."""

import shutil

from training.run_files import AttemptFiles, write_atomically
from training.verl_plugin.delivery_log import unproved


def start_over_without_proof(attempt: AttemptFiles) -> str:
    """Why this attempt starts at step 1 although there is a checkpoint, in words; empty where it does not.

    A missing or damaged line of `delivery.jsonl` cannot be recreated without its step. Continuing would lose the proof
    of that step permanently, and failing would lose the run; since a run recomputes the same, it restarts. The old
    record and the reason are kept in the attempt's folder.
    """
    files = attempt.run
    last = int(files.checkpointed.read_text(encoding="utf-8")) if files.checkpointed.is_file() else 0
    reason = unproved(files.delivery, last)
    if not reason:
        return ""
    attempt.folder.mkdir(parents=True, exist_ok=True)
    if files.delivery.exists():
        files.delivery.replace(attempt.damaged_delivery)
    shutil.rmtree(files.checkpoints)
    write_atomically(attempt.started_over, f"{reason}\n")
    return reason
