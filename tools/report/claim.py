"""A claim: one or two whole sentences that a report or a chat may say, under a stable id."""

from policies.model import StrictModel


class Claim(StrictModel):
    """The text is final: every number in it was filled from a stored value, with unit, n and rounding."""

    id: str
    """Dotted, unique within a study: `tscl.verdict`, `plan.detectable`."""
    text: str
    """Plain text in English; no Markdown."""
