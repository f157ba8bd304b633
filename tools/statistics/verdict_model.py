"""What the evaluator concludes, as data. `tools.statistics.verdict` makes it; report and chat only read it."""

from typing import Literal

from pydantic import Field

from policies.model import StrictModel
from tools.study.delivery_model import Delivery

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
    """Of the control's scores in these pairs: no gain is larger than what it leaves up to 100, no loss than it."""
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    """Unadjusted interval at the plan's confidence."""
    low_family: float | None
    high_family: float | None
    """Family interval; the verdict reads this one."""
    p: float | None
    p_holm: float | None
    low_tost: float | None
    high_tost: float | None
    """The 1 - 2 alpha interval that TOST reads."""
    sesoi: float
    verdict: SummaryReading
    negligible: bool = False


class Comparison(StrictModel):
    """One treatment against the control."""

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
    """How many of them chance alone would give: S * (1 - confidence)."""
    exclusions_strict: tuple[str, ...] = ()
    """Summaries whose interval excludes zero at `strict_confidence`, the level that "under some summary" needs."""
    repeated: bool = False
    """Seeds were added as the looks of a sequential plan said: the intervals are repeated ones, at the look it ended
    with. One that is missing although n > 1 and sd > 0: no error is spent at that look."""
    strict_confidence: float | None = None
    """1 - alpha / (k S)."""
    worst_summary: str | None = None
    best_summary: str | None = None
    """Where the difference, counted in its standard errors, is lowest and highest; None if not estimable."""
    seeds: tuple[int, ...] = ()
    """The pairs that everything here is computed on: complete for the whole verdict set in both arms."""
    lost_seeds: tuple[int, ...] = ()
    """Seeds of the study that gave no complete pair."""
    worst_case: OverallVerdict | None = None
    """Only where the complete pairs say `supported` and pairs were lost: what is left of that with the lost ones at
    their worst for the claim, `supported` or `negative_inconclusive`."""
    notes: tuple[str, ...] = ()
    """What a reader must know beside a valid verdict: missing scores, lost pairs, identical arms."""
    faults: tuple[str, ...] = ()
    """For invalid_data, each fault named; for not_estimable, which summaries and why."""
    delivery: Delivery
    failures: dict[str, int] = Field(default={})
    """Arm -> runs that failed."""


class Verdict(StrictModel):
    """All comparisons of a study."""

    schema_version: int = 1
    suite: str
    comparisons: tuple[Comparison, ...]
