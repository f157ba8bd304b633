"""The evaluator's conclusions, as data; `tools.statistics.verdict` creates them, report and chat only read them."""

from typing import Literal

from pydantic import Field

from policies.model import StrictModel
from tools.statistics.delivery_model import Delivery

SummaryReading = Literal["better", "worse", "equivalent", "inconclusive", "not_estimable"]
OverallVerdict = Literal[
    "invalid_data",
    "treatment_not_delivered",
    "not_estimable",
    "supported",
    "depends_on_summary",
    "negative_equivalent",
    "negative_inconclusive",
]


class SummaryVerdict(StrictModel):
    """One benchmark summary of one comparison; differences are treatment - control in score points."""

    summary: str
    n: int
    differences: dict[str, float]
    """Seed -> paired difference."""
    control_mean: float | None
    """The control's mean score in these pairs: no gain can exceed 100 minus it, and no loss can exceed it."""
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    """Unadjusted interval at the plan's confidence."""
    low_family: float | None
    high_family: float | None
    """Interval at the family-wise level, on which the verdict is based."""
    p: float | None
    p_holm: float | None
    low_tost: float | None
    high_tost: float | None
    """The 1 - 2 alpha interval for TOST."""
    sesoi: float
    verdict: SummaryReading
    negligible: bool = False


class Comparison(StrictModel):
    """The verdict on one treatment against its control."""

    treatment: str
    control: str
    k: int
    """Size of the family."""
    confidence: float
    family_confidence: float
    """1 - alpha / k."""
    primary: str
    verdict: OverallVerdict
    direction: Literal["better", "worse"] | None = None
    negligible: bool = False
    summaries: dict[str, SummaryVerdict]
    exclusions_unadjusted: tuple[str, ...] = ()
    """Summaries whose unadjusted interval excludes zero."""
    exclusions_expected: float | None = None
    """Expected number of them by chance alone: S * (1 - confidence)."""
    exclusions_strict: tuple[str, ...] = ()
    """Summaries whose interval excludes zero at `strict_confidence`, the level for "under some summary"."""
    repeated: bool = False
    """Whether the plan is sequential: the intervals are then repeated ones, at its last look. If one is missing
    although n > 1 and sd > 0, no error is spent at that look."""
    strict_confidence: float | None = None
    """1 - alpha / (k S)."""
    worst_summary: str | None = None
    best_summary: str | None = None
    """Summaries with the lowest and highest difference in units of its standard error; None if not estimable."""
    seeds: tuple[int, ...] = ()
    """Seeds of the pairs that are used: complete in both arms for the whole verdict set."""
    lost_seeds: tuple[int, ...] = ()
    """Seeds of the study that gave no complete pair."""
    worst_case: OverallVerdict | None = None
    """Only if the complete pairs give `supported` and pairs were lost: the verdict with the lost pairs at their worst
    for the claim, `supported` or `negative_inconclusive`."""
    notes: tuple[str, ...] = ()
    """What qualifies a valid verdict: missing scores, lost pairs, identical arms."""
    faults: tuple[str, ...] = ()
    """For invalid_data, each fault; for not_estimable, which summaries and why."""
    delivery: Delivery
    failures: dict[str, int] = Field(default={})
    """Arm -> number of failed runs."""


class Verdict(StrictModel):
    """The verdicts on all comparisons of a study."""

    schema_version: int = 1
    suite: str
    comparisons: tuple[Comparison, ...]
