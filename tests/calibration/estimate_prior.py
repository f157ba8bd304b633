"""Measures a prior from runs that exist: `python -m tests.calibration.estimate_prior NAME ROWS.json [ROWS.json ...]`.

Each file is one cell (one recipe): a JSON list of ScoreRow objects with at least two arms and two seeds. Prints the
entry for priors.yaml.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from policies.errors import AdvisorError, InputError
from tools.scores.summaries import verdict_set
from tools.scores.table import ScoreRow, ScoreTable
from tools.statistics.power.estimate_prior import estimate_prior


def read_rows(path: Path) -> ScoreTable:
    """A JSON list of ScoreRow objects. Raises InputError naming the file."""
    try:
        return ScoreTable.from_rows(ScoreRow.model_validate(item) for item in json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, ValidationError) as fault:
        raise InputError(f"cannot read score rows from {path}: {str(fault).splitlines()[0]}") from fault


def main(arguments: Sequence[str]) -> int:
    """Prints one entry of priors.yaml; returns the exit code."""
    import yaml

    if len(arguments) < 2:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[0]}\n")
        return InputError.exit_code
    try:
        tables = [read_rows(Path(path)) for path in arguments[1:]]
        chosen = verdict_set(tables[0].domains)
        shapes = ", ".join(f"{len(table.arms)} arms x {len(table.seeds)} seeds" for table in tables)
        source = f"sqrt(2*MSE) of arm + seed in {shapes}"
        entry = estimate_prior(tables, chosen, [arguments[0]], source)
    except AdvisorError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
    dumped = yaml.safe_dump([entry.model_dump(mode="json")], sort_keys=False, default_flow_style=None, width=160)
    sys.stdout.write(dumped)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
