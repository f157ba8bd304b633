"""Pairs that a study should have and does not, and what the claim looks like with them at their worst."""

from collections.abc import Sequence

import numpy as np

from tools.scores.table import PairedScores, ScoreTable

LOWEST, HIGHEST = 0.0, 100.0


def lost_seeds(
    table: ScoreTable, treatment: str, control: str, benchmarks: Sequence[str], planned: Sequence[int] | None
) -> tuple[int, ...]:
    """Seeds that should have given a pair complete for these benchmarks and did not, in increasing order.

    With planned seeds: those, and every seed begun in either arm. Without (a bare table): only seeds that both arms
    began, because nobody knows whether a seed of one arm alone was ever meant to have a partner. A run that is listed
    without any score began: whoever empties the row of a run that failed must not gain by it.
    """
    complete = set(table.paired(treatment, control, benchmarks).seeds)
    ours, theirs = (_begun(table, arm, benchmarks) for arm in (treatment, control))
    expected = ours & theirs if planned is None else ours | theirs | set(planned)
    return tuple(sorted(expected - complete))


def at_worst(
    table: ScoreTable, treatment: str, control: str, benchmarks: Sequence[str], seeds: Sequence[int], better: bool
) -> PairedScores:
    """Both arms on these seeds, each missing score being the possible one that speaks most against the claim.

    For "better" that is 0 in the treatment and 100 in the control, for "worse" the reverse: whoever drops the runs that
    fail must not gain by it.
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
