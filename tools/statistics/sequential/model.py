"""The result of a look at a sequential study, as data."""

from typing import Literal

from policies.model import StrictModel

LookDecision = Literal["go_on", "efficacy", "futility", "equivalence", "n_max"]
Direction = Literal["better", "worse"]


class SummaryLook(StrictModel):
    """One benchmark summary at one look; score points, treatment - control."""

    mean: float | None
    """None for no pair."""
    sd: float | None
    """None for fewer than two pairs; 0 if they differ only by rounding."""
    low: float | None = None
    high: float | None = None
    """Repeated interval: the intervals of all looks jointly cover the true difference at the level of the design. None
    if no error is spent at this look, or if it cannot be estimated."""
    low_strict: float | None = None
    high_strict: float | None = None
    """The same at the level alpha / S, which a claim about some summary, selected from S, requires."""
    chance_up: float | None = None
    chance_down: float | None = None
    """Probabilities of crossing the upper and lower bound at a later look; None if no look was taken."""


class Look(StrictModel):
    """The look at one treatment against its control after n pairs."""

    n: int
    n_max: int
    look: int
    """1 for the first look; 0 before it."""
    looks: int
    """Number of looks in the design."""
    decision: LookDecision
    direction: Direction | None = None
    """Direction of efficacy."""
    negligible: bool = False
    """Whether there is efficacy although every repeated interval is inside +- SESOI."""
    critical: float | None = None
    """Bound on |t| at this look; None if the look spends no error."""
    critical_strict: float | None = None
    """The same at the level alpha / S."""
    summaries: tuple[SummaryLook, ...]
    """In the order of the columns."""
    chance_up: float | None = None
    chance_down: float | None = None
    """Upper limit of P(every summary crosses the upper, or lower, bound at a later look); 0 at the last look."""
    pooled_sd: float | None
    """Root mean square of the SDs of the summaries; None for fewer than two pairs."""
    reason: str = ""
    """Why the study stops or continues, for readers who may see results."""
    blinded_reason: str = ""
    """The same without arm, sign or score, for all other readers."""

    @property
    def stops(self) -> bool:
        """Whether this comparison needs no further seed."""
        return self.decision != "go_on"
