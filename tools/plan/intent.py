"""StudyIntent: what was asked, as read by an LLM or the rule-based reader; may be incomplete."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from policies.model import StrictModel
from tools.text.plain_text import one_line

Line = Annotated[str, BeforeValidator(lambda value: one_line(value) if isinstance(value, str) else value)]
"""Text from a person, an LLM or a log, as one line without control characters."""
Count = Annotated[int, Field(ge=-(10**15), le=10**15)]
"""Any plausible count: the upper limits, with their reasons, are checked when a plan is made."""

IntentKind = Literal["compare", "noise", "pilot", "dose", "power", "refuse", "clarify"]
DoseValue = bool | int | float | str


class DoseAsked(StrictModel):
    """One policy at several strengths: one arm for each value of one of its parameters."""

    policy: str
    parameter: str
    values: tuple[DoseValue, ...] = Field(min_length=1)


class StudyIntent(StrictModel):
    """A question as structured data; fields left out are filled in with defaults by `design`, each with a note."""

    schema_version: int = 1
    question: Line
    kind: IntentKind
    treatments: tuple[str, ...] = ()
    control: str | None = None
    params: dict[str, dict[str, bool | int | float | str]] = Field(default_factory=dict)
    """Policy name -> parameters named in the question."""
    doses: tuple[DoseAsked, ...] = ()
    """Treatments requested at several strengths."""
    after_pilot: str | None = None
    """The pilot study whose spread the plan uses and whose seeds it excludes."""
    unmatched: bool = False
    """Pairs of a noise study have different seeds; otherwise, equal seeds and different replicates."""
    direction: Literal["better", "worse"] | None = None
    seeds: Count | None = None
    seed_list: tuple[Count, ...] | None = None
    sequential: bool = False
    """Seeds are added block by block until the answer is clear; `seeds` is then the maximum."""
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
    """Why the question is refused: `seed`, `picking_summary`, `optional_stopping`, `out_of_scope`, ..."""
    unknown: tuple[str, ...] = ()
    """Names that are in no registry."""
    message: Line | None = None
    """For `refuse` and `clarify`: one line for the user, with the valid alternative or one question."""
    read_by: Literal["rules", "llm", "flags"] = "rules"
    notes: tuple[Line, ...] = Field(default=())
    """Assumptions made while reading, one line each."""
