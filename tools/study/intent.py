"""StudyIntent: what the person asked, as read by an LLM or the rule-based reader; may be incomplete."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from policies.model import StrictModel
from tools.plain_text import one_line

Line = Annotated[str, BeforeValidator(lambda value: one_line(value) if isinstance(value, str) else value)]
"""Words of a person, an LLM or a log, as one line without control characters."""
Count = Annotated[int, Field(ge=-(10**15), le=10**15)]
"""Any count that somebody could mean: what is too many is judged, with its reason, where a plan is made."""

IntentKind = Literal["compare", "noise", "pilot", "dose", "power", "refuse", "clarify"]
DoseValue = bool | int | float | str


class DoseAsked(StrictModel):
    """One policy at several strengths: an arm for each value of one of its parameters."""

    policy: str
    parameter: str
    values: tuple[DoseValue, ...] = Field(min_length=1)


class StudyIntent(StrictModel):
    """Fields left out are unspecified: the designer fills in defaults and says so."""

    schema_version: int = 1
    question: Line
    kind: IntentKind
    treatments: tuple[str, ...] = ()
    control: str | None = None
    params: dict[str, dict[str, bool | int | float | str]] = Field(default_factory=dict)
    """Policy name -> parameters named in the question."""
    doses: tuple[DoseAsked, ...] = ()
    """Treatments that are asked for at several strengths."""
    after_pilot: str | None = None
    """A study whose spread the plan takes, and whose seeds it leaves out."""
    unmatched: bool = False
    """The pairs of a noise study have different seeds; else equal ones and different replicates."""
    direction: Literal["better", "worse"] | None = None
    seeds: Count | None = None
    seed_list: tuple[Count, ...] | None = None
    sequential: bool = False
    """Seeds are added block by block until the answer is clear; `seeds` is then the most there may be."""
    min_seeds: Count | None = None
    """Seeds before the first look of a sequential study."""
    steps: Count | None = None
    model: str | None = None
    recipe: str | None = None
    budget_gpu_hours: float | None = None
    max_runs: Count | None = None
    confidence: float | None = None
    sesoi: float | None = None
    primary_summary: str | None = None
    reason: str | None = None
    """Why it is refused: `seed`, `picking_summary`, `optional_stopping`, `out_of_scope`, ..."""
    unknown: tuple[str, ...] = ()
    """Names that no registry knows."""
    message: Line | None = None
    """For `refuse` and `clarify`: one line to the person, with the valid alternative or one question."""
    read_by: Literal["rules", "llm", "flags"] = "rules"
    notes: tuple[Line, ...] = Field(default=())
    """Assumptions made while reading, one line each."""
