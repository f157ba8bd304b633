"""The results of a study without a verdict: the spread of paired differences, and what a comparison needs at it."""

from collections.abc import Sequence

import numpy as np

from policies.model import StrictModel
from tools.plan.prior import Prior
from tools.scores.table import ScoreTable
from tools.statistics.paired import known, sd_interval
from tools.statistics.power import one_summary as power
from tools.statistics.power.model import PowerStatement
from tools.statistics.spread.noise_study import NoiseStudy


class SdEstimate(StrictModel):
    """The SD of a paired difference under one summary, score points."""

    sd: float
    low: float | None
    high: float | None
    """95 % chi-square limits."""
    upper: float
    """One-sided upper 80 % limit, with which a comparison is planned."""


class PilotStudy(StrictModel):
    """The spread common to a pilot's arms; nothing here distinguishes the arms."""

    arms: int
    seeds: int
    """Number of seeds that are complete in all arms."""
    df: int
    """(arms - 1)(seeds - 1)."""
    summaries: dict[str, SdEstimate]


class SpreadStudy(StrictModel):
    """The results of a noise study or a pilot."""

    noise: NoiseStudy | None = None
    pilot: PilotStudy | None = None
    prior: Prior | None = None
    """The spread in the form that plans use; None if it cannot be estimated."""
    ahead: PowerStatement | None = None
    """The power of a comparison at that spread, with as many pairs as this study has complete."""
    faults: tuple[str, ...] = ()
    """Why the differences do not estimate chance variation, or why there is no spread."""
    notes: tuple[str, ...] = ()


def pilot_study(table: ScoreTable, benchmarks: Sequence[str], prior: Prior) -> PilotStudy:
    """Summarises the spread of a pilot; prior: estimated from all arms of this table on these benchmarks, with a df."""
    assert prior.df is not None
    blocks = np.array([table.of_arm(arm, benchmarks) for arm in table.arms])
    complete = int((~np.isnan(blocks).any(axis=(0, 2))).sum())
    values = np.array(list(prior.sd.values()))
    limits = sd_interval(values, prior.df)
    rows = zip(prior.sd, values.tolist(), known(limits.low), known(limits.high), strict=True)
    return PilotStudy(
        arms=len(table.arms),
        seeds=complete,
        df=prior.df,
        summaries={
            name: SdEstimate(sd=sd, low=low, high=high, upper=power.upper_sd(sd, prior.df))
            for name, sd, low, high in rows
        },
    )
