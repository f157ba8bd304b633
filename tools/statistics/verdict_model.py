"""What the evaluator concludes, as data. `tools.statistics.verdict` makes it; report and chat only read it."""

from typing import Literal

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
    faults: tuple[str, ...] = ()
    """For invalid_data, each fault named; for not_estimable, which summaries and why."""
    delivery: Delivery
    failures: dict[str, int] = {}
    """Arm -> runs that failed."""


class Verdict(StrictModel):
    """All comparisons of a study."""

    schema_version: int = 1
    suite: str
    comparisons: tuple[Comparison, ...]
