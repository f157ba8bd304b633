"""The sequential plan, and what a look at it says, as data."""

from typing import Literal

from pydantic import Field, model_validator

from policies.model import StrictModel

LookDecision = Literal["go_on", "efficacy", "futility", "equivalence", "n_max"]
Direction = Literal["better", "worse"]


class SequentialDesign(StrictModel):
    """Seeds are added one block at a time, and the study stops as soon as its answer is clear.

    Fixed in the plan before any score exists. A look is made after each seed block from `n_min` to `n_max` pairs. The
    defaults are chosen by measurement: `tools/statistics/sequential/README.md`.
    """

    kind: Literal["sequential"] = "sequential"
    n_min: int = Field(default=5, ge=3, le=200)
    """Pairs at the first look."""
    n_max: int = Field(ge=4, le=200)
    """Pairs at the last look; the study ends there."""
    spending: Literal["power", "hwang_shih_decani", "obrien_fleming", "pocock"] = "hwang_shih_decani"
    """How the error is spread over the looks; `tools.statistics.sequential.spending` has the formulas."""
    spending_parameter: float = Field(default=1.75, ge=-20.0, le=20.0)
    """Exponent of `power` (above 0), gamma of `hwang_shih_decani`; the other two families have none."""
    spending_starts_at_first_look: bool = True
    """Whether the error is spread over the looks, or over all pairs with those before the first look counted in."""
    futility_chance: float = Field(default=0.2, ge=0.0, lt=1.0)
    """Stop for futility when the chance of a later crossing is below this in both directions; 0: never."""
    futility_confidence: float = Field(default=0.8, gt=0.5, lt=1.0)
    """That chance is taken at this one-sided upper limit of the effect, not at its estimate."""

    @model_validator(mode="after")
    def _looks_are_in_order(self) -> "SequentialDesign":
        if self.n_min >= self.n_max:
            raise ValueError(f"n_min must be below n_max, got {self.n_min} and {self.n_max}")
        if self.spending == "power" and self.spending_parameter <= 0.0:
            raise ValueError(f"spending_parameter of `power` must be above 0, got {self.spending_parameter}")
        return self

    @property
    def looks(self) -> range:
        """Numbers of pairs at which a look is made."""
        return range(self.n_min, self.n_max + 1)


class SummaryLook(StrictModel):
    """One benchmark summary at one look; score points, treatment - control."""

    mean: float | None
    """None for no pair."""
    sd: float | None
    """None for fewer than two pairs; 0 where they differ by rounding only."""
    low: float | None = None
    high: float | None = None
    """Repeated interval: all looks together cover the true difference with the level of the design. None where no
    error is spent at this look, or none can be estimated."""
    low_strict: float | None = None
    high_strict: float | None = None
    """The same at the level alpha / S, which a claim about some summary, chosen out of S, needs."""
    chance_up: float | None = None
    chance_down: float | None = None
    """Of crossing the upper, the lower bound at a later look; None where no look was made."""


class Look(StrictModel):
    """One treatment against its control after n pairs."""

    n: int
    n_max: int
    look: int
    """1 for the first look; 0 before it."""
    looks: int
    """How many the design has."""
    decision: LookDecision
    direction: Direction | None = None
    """Of efficacy."""
    negligible: bool = False
    """Efficacy, yet every repeated interval lies inside +- SESOI."""
    critical: float | None = None
    """Bound on |t| at this look; None where the look spends no error."""
    critical_strict: float | None = None
    """The same at the level alpha / S."""
    summaries: tuple[SummaryLook, ...]
    """In the order of the columns."""
    chance_up: float | None = None
    chance_down: float | None = None
    """Bound on the chance that every summary crosses the upper, the lower bound at a later look; 0 at the last look."""
    pooled_sd: float | None
    """Root mean square of the SDs of the summaries; None for fewer than two pairs."""
    reason: str = ""
    """Why the study stops or goes on, for readers who may see results."""
    blinded_reason: str = ""
    """The same without arm, sign or score, for everybody else."""

    @property
    def stops(self) -> bool:
        """Whether this comparison needs no further seed."""
        return self.decision != "go_on"
