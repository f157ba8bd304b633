"""`delivery.jsonl`: one record a step of what the policy asked for and what trainer and worker really did."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from policies.delivery import DeliveryRecord, WeightStatistics
from policies.errors import AdvisorError

TOKENS, TOTAL, SQUARED, ZEROS = (f"actor/advisor_weight_{part}" for part in ("tokens", "total", "squared", "zeros"))
DIGEST = "actor/advisor_loss_inputs"
HOOK_S = "actor/advisor_timing_s"
"""Seconds that the record of one micro-batch took in the worker."""


def with_seen(record: DeliveryRecord, metrics: Mapping[str, Any], tokens: int) -> DeliveryRecord:
    """The record with what the worker's loss reported in verl's metrics.

    verl averages over micro-batches and ranks; as the worker also reports its tokens, `tokens` (all of the step's
    tokens that count) over that average is the number of parts that were averaged.
    """
    if TOKENS not in metrics:
        return record
    parts = tokens / float(metrics[TOKENS])
    seen = None
    if TOTAL in metrics:
        seen = WeightStatistics(
            tokens=tokens,
            total=float(metrics[TOTAL]) * parts,
            squared=float(metrics[SQUARED]) * parts,
            zeros=round(float(metrics[ZEROS]) * parts),
        )
    digest = round(float(metrics[DIGEST]) * parts)
    return record.model_copy(update={"weights_seen": seen, "loss_inputs_seen": digest})


class DeliveryLog:
    """Appends records; a resumed run first drops the steps after its checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rewind(self, last_step: int) -> None:
        """Keeps the records of steps 1 to `last_step`, and drops what comes after them.

        Raises AdvisorError where one of these is missing or unreadable: a run without its proof must not go on.
        """
        proved = list(_proved(self.path))[:last_step]
        if len(proved) < last_step:
            raise AdvisorError(f"{unproved(self.path, last_step)}; delete {self.path.parent} to make the run again")
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text("".join(line + "\n" for line in proved), encoding="utf-8")
        temporary.replace(self.path)

    def append(self, record: DeliveryRecord) -> None:
        """Writes one line and flushes it."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")


def unproved(path: Path, last_step: int) -> str:
    """Which of the steps 1 to `last_step` has no readable record, in words; empty when all have one."""
    proved = sum(1 for _ in _proved(path))
    return "" if proved >= last_step else f"{path.name} has no readable record of step {proved + 1} of {last_step}"


def _proved(path: Path) -> Iterator[str]:
    """The lines that are the records of steps 1, 2, ... without a gap; a line without its end does not count."""
    if not path.exists():
        return
    for step, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1], start=1):
        try:
            if DeliveryRecord.model_validate_json(line).step != step:
                return
        except ValidationError:
            return
        yield line


def read_records(path: Path) -> tuple[DeliveryRecord, ...]:
    """All records of a finished run, in step order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(DeliveryRecord.model_validate_json(line) for line in lines if line.strip())
