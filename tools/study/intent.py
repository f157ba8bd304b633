"""StudyIntent: what the person asked, as read by an LLM or the rule-based reader; may be incomplete."""

from typing import Literal

from pydantic import Field

from policies.model import StrictModel

IntentKind = Literal["compare", "noise", "power", "refuse", "clarify"]


class StudyIntent(StrictModel):
    """Fields left out are unspecified: the designer fills in defaults and says so."""

    schema_version: int = 1
    question: str
    kind: IntentKind
    treatments: tuple[str, ...] = ()
    control: str | None = None
    params: dict[str, dict[str, bool | int | float | str]] = Field(default_factory=dict)
    """Policy name -> parameters named in the question."""
    direction: Literal["better", "worse"] | None = None
    seeds: int | None = None
    seed_list: tuple[int, ...] | None = None
    steps: int | None = None
    model: str | None = None
    recipe: str | None = None
    budget_gpu_hours: float | None = None
    max_runs: int | None = None
    confidence: float | None = None
    sesoi: float | None = None
    primary_summary: str | None = None
    reason: str | None = None
    """Why it is refused: `seed`, `picking_summary`, `optional_stopping`, `out_of_scope`, ..."""
    unknown: tuple[str, ...] = ()
    """Names that no registry knows."""
    message: str | None = None
    """For `refuse` and `clarify`: one line to the person, with the valid alternative or one question."""
    read_by: Literal["rules", "llm", "flags"] = "rules"
    notes: tuple[str, ...] = Field(default=())
    """Assumptions made while reading, one line each."""
