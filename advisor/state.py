"""What a conversation remembers between nodes and processes: plain JSON, no score, no secret."""

from typing import Any, Literal, TypedDict

GRAPH_VERSION = 1
"""Raised when nodes are renamed or the state changes; a thread of another version starts anew from the ledger."""

Phase = Literal[
    "new", "understood", "clarify", "power", "planned", "approved", "declined", "running", "halted", "done", "told"
]


class AdvisorState(TypedDict, total=False):
    """One conversation. The study itself lives in its ledger: `study` only says where."""

    graph_version: int
    phase: Phase
    question: str
    options: dict[str, Any]
    """A person's flags: fields of StudyIntent."""
    may_approve: bool
    """Whether somebody is there who can say yes."""
    messages: list[dict[str, str]]
    """{role, text}, in order."""
    intent: dict[str, Any] | None
    rounds: int
    """Questions asked back so far."""
    llm_tokens: int
    llm_failure: str | None
    study: str | None
    """The study's folder."""
    answer: str
