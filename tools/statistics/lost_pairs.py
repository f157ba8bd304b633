"""Lost pairs, which a study should have but does not, and their worst-case scores against the claim."""

from collections.abc import Sequence

import numpy as np

from tools.scores.table import PairedScores, ScoreTable

LOWEST, HIGHEST = 0.0, 100.0


def lost_seeds(
    table: ScoreTable, treatment: str, control: str, benchmarks: Sequence[str], planned: Sequence[int] | None
) -> tuple[int, ...]:
    """Returns the seeds that should have a pair complete on these benchmarks but do not, in increasing order.

    With planned seeds: those, and every seed begun in either arm. Without (a bare table): only seeds that both arms
    began, because a seed of one arm alone may never have been meant to have a partner. A run that is listed without any
    score counts as begun, so that deleting the scores of a failed run gains nothing.
    """
    complete = set(table.paired(treatment, control, benchmarks).seeds)
    ours, theirs = (_begun(table, arm, benchmarks) for arm in (treatment, control))
    expected = ours & theirs if planned is None else ours | theirs | set(planned)
    return tuple(sorted(expected - complete))


def at_worst(
    table: ScoreTable, treatment: str, control: str, benchmarks: Sequence[str], seeds: Sequence[int], better: bool
) -> PairedScores:
    """Returns both arms on these seeds, with each missing score at its worst possible value for the claim.

    For "better" that is 0 in the treatment and 100 in the control, for "worse" the reverse, so that dropping failed
    runs gains nothing.
    """
    known = {seed: row for row, seed in enumerate(table.seeds)}
    blocks = []
    for arm, missing in ((treatment, LOWEST if better else HIGHEST), (control, HIGHEST if better else LOWEST)):
        block = table.of_arm(arm, benchmarks)
        rows = [block[known[seed]] if seed in known else np.full(len(benchmarks), np.nan) for seed in seeds]
        blocks.append(np.nan_to_num(np.array(rows), nan=missing))
    return PairedScores(tuple(seeds), blocks[0], blocks[1])


def _begun(table: ScoreTable, arm: str, benchmarks: Sequence[str]) -> set[int]:
    present = np.any(~np.isnan(table.of_arm(arm, benchmarks)), axis=1)
    scored = {seed for row, seed in enumerate(table.seeds) if present[row]}
    return scored | {seed for its, seed in table.empty_runs if its == arm}
