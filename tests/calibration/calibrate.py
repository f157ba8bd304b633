"""Proof that the inference is right: every claim of `claims`, measured; `make calibrate` runs it.

    python -m tests.calibration.calibrate [FILE.md]

Prints one line a cell as it comes, writes the table to FILE.md when one is named, and exits with 1 when a promise is
not kept within four Monte-Carlo errors.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import tests.calibration.sequential_claims  # noqa: F401 - adds its claims
from tests.calibration.claims import CLAIMS, Measured
from tools.statistics.random_streams import rng_for


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    rows: list[tuple[str, list[Measured]]] = []
    started = time.monotonic()
    for claim in CLAIMS:
        title = (claim.__doc__ or "").strip()
        found = []
        for one in claim(rng_for("calibration", claim.__name__)):
            found.append(one)
            sys.stdout.write(f"{one.claim:<52} {one.setting:<46} {_share(one)} {_outcome(one)}\n")
            sys.stdout.flush()
        rows.append((title, found))
    broken = [one for _, found in rows for one in found if not one.kept]
    cells = sum(len(found) for _, found in rows)
    closing = f"{cells} cells, {len(broken)} promises broken"
    sys.stdout.write(f"{closing}, {time.monotonic() - started:.0f} s\n")
    if arguments:
        Path(arguments[0]).write_text(_document(rows, closing), encoding="utf-8")
    return 1 if broken else 0


def _share(one: Measured) -> str:
    return f"{one.value:.4f} +- {one.error:.4f}"


def _outcome(one: Measured) -> str:
    if not one.promise:
        return "(shown)"
    return f"{one.promise}: {'kept' if one.kept else 'BROKEN'}"


def _document(rows: Sequence[tuple[str, Sequence[Measured]]], closing: str) -> str:
    lines = [
        "# Calibration of the evaluator",
        "",
        "Simulated studies whose truth is known, judged by the code that judges real ones (`make calibrate`).",
        "A promise counts as kept within four Monte-Carlo standard errors; a share without one is shown because it has",
        f"a bias that a reader must know. {closing[0].upper()}{closing[1:]}.",
    ]
    for title, found in rows:
        lines += ["", f"## {title}", "", "| what | setting | studies | share | Monte-Carlo error | promise |"]
        lines += ["| --- | --- | ---: | ---: | ---: | --- |"]
        lines += [
            f"| {one.claim} | {one.setting} | {one.studies:,} | {one.value:.4f} | {one.error:.4f} | {_outcome(one)} |"
            for one in found
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
