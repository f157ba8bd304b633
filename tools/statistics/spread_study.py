"""What a study found that compares nothing: how far paired differences vary, and what that asks of a comparison."""

from collections.abc import Sequence

import numpy as np

from policies.model import StrictModel
from tools.scores.table import ScoreTable
from tools.statistics import power
from tools.statistics.noise_study import NoiseStudy
from tools.statistics.paired import known
from tools.statistics.power_model import PowerStatement
from tools.statistics.priors import Prior
from tools.statistics.sd_interval import sd_interval


class SdEstimate(StrictModel):
    """Of one summary, score points of a paired difference."""

    sd: float
    low: float | None
    high: float | None
    """95 % chi-square limits."""
    upper: float
    """One-sided upper 80 % limit: what a comparison is planned with."""


class PilotStudy(StrictModel):
    """The spread that a pilot's arms share; nothing here tells one arm from another."""

    arms: int
    seeds: int
    """That all arms have complete."""
    df: int
    """(arms - 1)(seeds - 1)."""
    summaries: dict[str, SdEstimate]


class SpreadStudy(StrictModel):
    """Of a noise study or a pilot."""

    noise: NoiseStudy | None = None
    pilot: PilotStudy | None = None
    prior: Prior | None = None
    """The spread as plans take it; None where none can be estimated."""
    ahead: PowerStatement | None = None
    """What a comparison takes at that spread, with as many pairs as this study has complete."""
    faults: tuple[str, ...] = ()
    """Why the differences say nothing of chance, or why there is no spread."""
    notes: tuple[str, ...] = ()


def pilot_study(table: ScoreTable, benchmarks: Sequence[str], prior: Prior) -> PilotStudy:
    """prior: estimated from all arms of this table on these benchmarks, so that its df is known."""
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
