"""The design of a sequential plan, as data."""

from typing import Literal

from pydantic import Field, model_validator

from policies.model import StrictModel


class SequentialDesign(StrictModel):
    """A design in which seeds are added one block at a time until the answer is clear.

    Fixed in the plan before any score exists. A look is taken after each seed block from `n_min` to `n_max` pairs. The
    defaults were chosen by measurement: `tools/statistics/sequential/README.md`.
    """

    kind: Literal["sequential"] = "sequential"
    n_min: int = Field(default=5, ge=3, le=200)
    """Pairs at the first look."""
    n_max: int = Field(ge=4, le=200)
    """Pairs at the last look; the study ends there."""
    spending: Literal["power", "hwang_shih_decani", "obrien_fleming", "pocock"] = "hwang_shih_decani"
    """Error-spending family; the formulas are in `tools.statistics.sequential.boundaries`."""
    spending_parameter: float = Field(default=1.75, ge=-20.0, le=20.0)
    """Exponent of `power` (above 0) or gamma of `hwang_shih_decani`; the other two families have no parameter."""
    spending_starts_at_first_look: bool = True
    """Whether the error is spent over the looks only, or over all pairs including those before the first look."""
    futility_chance: float = Field(default=0.2, ge=0.0, lt=1.0)
    """Stop for futility if the probability of a later crossing is below this in both directions; 0: never."""
    futility_confidence: float = Field(default=0.8, gt=0.5, lt=1.0)
    """That probability is computed at this one-sided upper limit of the effect, not at its estimate."""

    @model_validator(mode="after")
    def _looks_are_in_order(self) -> "SequentialDesign":
        if self.n_min >= self.n_max:
            raise ValueError(f"n_min must be below n_max, got {self.n_min} and {self.n_max}")
        if self.spending == "power" and self.spending_parameter <= 0.0:
            raise ValueError(f"spending_parameter of `power` must be above 0, got {self.spending_parameter}")
        return self

    @property
    def looks(self) -> range:
        """Numbers of pairs at which a look is taken."""
        return range(self.n_min, self.n_max + 1)
