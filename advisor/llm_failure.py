"""How an LLM can fail, told apart, each with its way out."""

from typing import Literal

from policies.errors import AdvisorError

FailureKind = Literal[
    "no_server",
    "auth",
    "unknown_model",
    "rate_limit",
    "server_error",
    "timeout",
    "context_overflow",
    "rejected",
    "refusal",
    "truncated",
    "empty",
    "not_json",
    "schema_echo",
    "invalid",
    "foreign_reply",
    "token_limit",
]
REPAIRABLE: frozenset[FailureKind] = frozenset({"empty", "not_json", "schema_echo", "invalid"})
"""Failures of a reply that another try, told the faults, may mend."""


class LLMError(AdvisorError):
    """A call that gave nothing usable; `str()` is one line: what happened and what to do."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
