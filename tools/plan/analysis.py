"""The planned analysis, and the permitted ranges of confidence and smallest effect of interest."""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field, model_validator

from policies.model import StrictModel


def range_faults(confidence: float | None, sesoi: float | None) -> tuple[str, ...]:
    """Returns one line for each value that is out of range; a value of None was not given."""
    faults = []
    if confidence is not None and not 0.5 < confidence < 1:
        faults.append(f"confidence {confidence:g} is out of range; give a share between 0.5 and 1, such as 0.95")
    if sesoi is not None and not 0 < sesoi <= 100:
        faults.append(f"smallest effect of interest {sesoi:g} is out of range; give points above 0, at most 100")
    return tuple(faults)


Points = Annotated[float, Field(gt=0, le=100)]


class Analysis(StrictModel):
    """How the scores will be analysed; fixed before any score exists."""

    method: Literal["paired-t, Bonferroni over treatments"] = "paired-t, Bonferroni over treatments"
    confidence: float = Field(default=0.95, gt=0.5, lt=1)
    family_size: int = Field(ge=1)
    """k: treatments compared with this control."""
    primary: str = "domain_balanced_12"
    summaries: dict[str, dict[str, float]]
    """The verdict set: name -> weight of each benchmark (sum 1)."""
    sesoi: Points | dict[str, Points] = 1.0
    """Smallest effect of interest in score points: one number, or one for each summary of the verdict set."""
    minimum_dose: float = Field(default=0.05, ge=0, le=1)

    @model_validator(mode="after")
    def _every_summary_has_a_sesoi(self) -> "Analysis":
        asked = dict.fromkeys((*self.summaries, self.primary))
        missing = [] if isinstance(self.sesoi, float) else [name for name in asked if name not in self.sesoi]
        if missing:
            raise ValueError(f"sesoi must be one number or name every summary: {', '.join(missing)} has none")
        return self

    def sesoi_of(self, summary: str) -> float:
        """Returns the smallest effect of interest under one summary of the verdict set, score points."""
        return self.sesoi if isinstance(self.sesoi, float) else self.sesoi[summary]

    def sesois(self, summaries: Collection[str] = ()) -> tuple[float, ...]:
        """Returns the smallest effects of interest under several summaries, by default the verdict set in its order."""
        return tuple(self.sesoi_of(name) for name in summaries or self.summaries)

    @property
    def primary_sesoi(self) -> float:
        """The smallest effect of interest under the primary summary, for which a plan's power is computed."""
        return self.sesoi if isinstance(self.sesoi, float) else self.sesoi[self.primary]
