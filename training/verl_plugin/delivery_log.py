"""`delivery.jsonl`: one record a step of what the policy asked for and what trainer and worker really did."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policies.delivery import DeliveryRecord, WeightStatistics

TOKENS, TOTAL, SQUARED, ZEROS = (f"actor/advisor_weight_{part}" for part in ("tokens", "total", "squared", "zeros"))


def weights_seen(metrics: Mapping[str, Any], tokens: int) -> WeightStatistics | None:
    """The worker's sums from verl's metrics; None when its loss multiplied with no weights.

    verl averages over micro-batches and ranks; as the worker also reports its tokens, `tokens` (all of the step's
    tokens that count) over that average is the number of parts that were averaged.
    """
    if TOTAL not in metrics:
        return None
    parts = tokens / float(metrics[TOKENS])
    return WeightStatistics(
        tokens=round(float(metrics[TOKENS]) * parts),
        total=float(metrics[TOTAL]) * parts,
        squared=float(metrics[SQUARED]) * parts,
        zeros=round(float(metrics[ZEROS]) * parts),
    )


class DeliveryLog:
    """Appends records; a resumed run first drops the steps after its checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def rewind(self, last_step: int) -> None:
        """Keeps the records up to `last_step`; a line cut short by a kill is dropped."""
        kept = [line for line in self._lines() if json.loads(line)["step"] <= last_step]
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text("".join(line + "\n" for line in kept), encoding="utf-8")
        temporary.replace(self.path)

    def append(self, record: DeliveryRecord) -> None:
        """Writes one line and flushes it."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")

    def _lines(self) -> list[str]:
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        return [line for line in lines[:-1] if line.strip()]


def read_records(path: Path) -> tuple[DeliveryRecord, ...]:
    """All records of a finished run, in step order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(DeliveryRecord.model_validate_json(line) for line in lines if line.strip())
