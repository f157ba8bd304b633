"""Finds arm and seed of a run from the folders of its results, or from the path of its model.

lm-eval writes the slashes of a model path as two underscores in the name of a folder: `ckpt__tscl__seed-1`.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from policies.errors import InputError

_SEED = re.compile(r"(?P<arm>.*?)[_\-.@]*(?<![a-z])(?:random_?seed|seed|s)[_\-=.]?(?P<seed>\d+)", re.IGNORECASE)
_GENERIC = frozenset({"", ".", "..", "runs", "results", "evals", "eval", "logs", "output", "outputs", "checkpoints"})


class RunPath(NamedTuple):
    """Arm and seed of a run by its path."""

    arm: str
    seed: int
    folder: str
    """The part of the path above the arm, which may name the model or the campaign."""


def run_of(parts: Sequence[str]) -> RunPath | None:
    """Returns arm and seed from folders like `tscl/seed-1`, `tscl_seed1` or `tscl-s1`; the lowest such folder counts.

    None if no folder names a seed, or none above it names an arm.
    """
    return _run_of(parts) or _run_of([level for part in parts for level in part.split("__")])


def run_from(source: str, model: str) -> RunPath:
    """Returns arm and seed of the log in this file by its folders, else by the path of its model.

    Raises InputError if neither gives them, and if they give different seeds.
    """
    folders, named = run_of(PurePath(source).parts[:-1]), run_of(model.split("/"))
    if folders and named and folders.seed != named.seed:
        raise InputError(
            f"{source}: its folders say seed {folders.seed}, but its model {model!r} says seed {named.seed}: "
            "move the file to the folder of its run"
        )
    found = folders or named
    if not found:
        raise InputError(
            f"{source}: neither its folders nor its model {model!r} give arm and seed: "
            "put each run's results into a folder ARM/seed-N"
        )
    return found


def _run_of(levels: Sequence[str]) -> RunPath | None:
    for place in reversed(range(len(levels))):
        found = _SEED.fullmatch(levels[place])
        above = levels[:place]
        if found and found["arm"]:
            return RunPath(found["arm"], int(found["seed"]), str(PurePath(*above)) if above else "")
        if found and above and above[-1].casefold() not in _GENERIC:
            return RunPath(above[-1], int(found["seed"]), str(PurePath(*above[:-1])) if above[1:] else "")
    return None
