"""A run that would be resumed without the proof of its earlier steps is made again from its first step."""

import shutil

from training.run_files import RunFiles, write_atomically
from training.verl_plugin.delivery_log import unproved

TRACKER = "latest_checkpointed_iteration.txt"
"""verl's file that names the last whole checkpoint."""
NOTE = "started_over.txt"


def start_over_without_proof(files: RunFiles, attempt: int) -> str:
    """Why this attempt starts at step 1 although there is a checkpoint, in words; empty where it does not.

    A missing or damaged line of `delivery.jsonl` cannot be made again without its step. Going on would lose the proof
    of that step for good, and failing would lose the run; as a run computes the same again, it starts over. What there
    was of the record, and the reason, stay in the attempt's folder.
    """
    tracker = files.checkpoints / TRACKER
    last = int(tracker.read_text(encoding="utf-8")) if tracker.is_file() else 0
    reason = unproved(files.delivery, last)
    if not reason:
        return ""
    folder = files.attempt(attempt)
    folder.mkdir(parents=True, exist_ok=True)
    if files.delivery.exists():
        files.delivery.replace(folder / "delivery.damaged.jsonl")
    shutil.rmtree(files.checkpoints)
    write_atomically(folder / NOTE, f"{reason}\n")
    return reason
