"""Single-step max-t sign-flip p-values over the treatments of one control: a check beside the Bonferroni interval.

Whole seed rows are flipped together, in all treatments at once, which preserves the correlation due to the shared
control. It assumes that the rows of differences are jointly symmetric about zero. Source: Westfall and Young (1993),
single step, with sign flips in place of permutations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.model import StrictModel
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import ScoreTable
from tools.statistics.paired import known, varies
from tools.statistics.sensitivity.sign_flip import Flips

FEWEST_PAIRS = 10
_ROUNDING = 1e-9
_CELLS = 4_000_000
"""Maximum number of values in memory."""


class MaxT(StrictModel):
    """The adjusted p-values of all treatments of one control."""

    n: int
    """Number of seeds complete in the control and in every treatment."""
    k: int
    """Number of treatments in the family."""
    enumerated: bool
    flips: int
    p: dict[str, dict[str, float | None]]
    """Treatment -> summary -> adjusted two-sided p; None if the differences do not vary. Empty for n < 10."""


class JointDifferences(NamedTuple):
    """The differences of all treatments of one control on the seeds that are complete in all of them."""

    seeds: tuple[int, ...]
    treatments: tuple[str, ...]
    values: NDArray[np.float64]
    """(n, k, S), treatment - control under each summary."""


def joint_differences(
    table: ScoreTable, control: str, treatments: tuple[str, ...], chosen: SummaryMatrix
) -> JointDifferences:
    """Returns the differences of every treatment (at least one) on their common seeds, possibly none."""
    pairs = [table.paired(treatment, control, chosen.benchmarks) for treatment in treatments]
    common = set(pairs[0].seeds).intersection(*(one.seeds for one in pairs))
    blocks = [chosen.differences(one)[[seed in common for seed in one.seeds]] for one in pairs]
    return JointDifferences(tuple(sorted(common)), treatments, np.stack(blocks, axis=1))


def max_t(joint: JointDifferences, summaries: tuple[str, ...], flips: Flips | None) -> MaxT:
    """Returns the adjusted p of each treatment and summary; the maximum is over treatments under one summary.

    The largest |t| over treatments is found from |sum d| / sqrt(sum d^2): |t| is the same increasing function of it for
    all, and flips do not change its denominator. flips: those of len(joint.seeds) pairs; None for fewer than 10.
    """
    n, k, _ = joint.values.shape
    if flips is None or n < FEWEST_PAIRS:
        return MaxT(n=n, k=k, enumerated=True, flips=0, p={})
    estimable = varies(joint.values.reshape(n, -1)).reshape(k, -1)
    lengths = np.sqrt((joint.values**2).sum(axis=0))
    scaled = np.where(estimable, joint.values / np.where(estimable, lengths, 1.0), 0.0)
    observed = np.abs(scaled.sum(axis=0))
    reached = _reached(scaled, observed * (1.0 - _ROUNDING), flips)
    p = np.where(estimable, (flips.unchanging + flips.each * reached) / flips.total, np.nan)
    rows = [dict(zip(summaries, known(row), strict=True)) for row in p]
    return MaxT(
        n=n, k=k, enumerated=flips.enumerated, flips=flips.total, p=dict(zip(joint.treatments, rows, strict=True))
    )


def _reached(scaled: NDArray[np.float64], observed: NDArray[np.float64], flips: Flips) -> NDArray[np.int64]:
    """(k, S) number of splits whose largest statistic over treatments is at least that observed, in batches."""
    n, k, count = scaled.shape
    total = scaled.sum(axis=0)
    step = max(1, _CELLS // (k * count))
    largest = []
    for start in range(0, flips.flipped.shape[1], step):
        signed = total.ravel() - 2.0 * (flips.flipped[:, start : start + step].T @ scaled.reshape(n, -1))
        largest.append(np.abs(signed, out=signed).reshape(-1, k, count).max(axis=1))
    order = np.sort(np.concatenate(largest), axis=0)
    below = [np.searchsorted(order[:, column], observed[:, column]) for column in range(count)]
    return len(order) - np.stack(below, axis=1)
