"""The ways in which an LLM call can fail, each with what to do about it."""

from typing import Literal

from policies.errors import AdvisorError

FailureKind = Literal[
    "no_server", "auth", "unknown_model", "rate_limit", "server_error", "timeout", "context_overflow", "rejected",
    "refusal", "truncated", "empty", "not_json", "schema_echo", "invalid", "foreign_reply", "token_limit",
]  # fmt: skip
REPAIRABLE: frozenset[FailureKind] = frozenset({"empty", "not_json", "schema_echo", "invalid"})
"""Faults of a reply that the LLM may fix when it is told about them."""


class LLMError(AdvisorError):
    """An LLM call without a usable result; `str()` is one line: what happened and what to do."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
