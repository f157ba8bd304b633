"""What the sentences about one comparison are filled with, derived once from the stored verdict."""

from typing import NamedTuple

from tools.report import numbers
from tools.statistics.verdict_model import Comparison, SummaryVerdict

NEGATIVE = ("negative_equivalent", "negative_inconclusive")
NO_VERDICT = ("invalid_data", "treatment_not_delivered", "not_estimable")


class Facts(NamedTuple):
    """Names and counts of one comparison."""

    comparison: Comparison
    treatment: str
    """How sentences call the treatment: its name, or `the treatment as delivered`."""
    control: str
    weak: bool
    n: int
    """Seed pairs behind the verdict; the smallest over summaries should they differ."""
    primary: SummaryVerdict | None
    summaries: tuple[SummaryVerdict, ...]
    """Sorted by the lower family limit, worst first; those without an interval last."""

    @property
    def difference(self) -> str:
        """How the estimand is called: treatment minus control."""
        left = "treatment" if self.hides_name else self.comparison.treatment
        return f"{left} - {'control' if self.hides_name else self.control}"

    @property
    def hides_name(self) -> bool:
        """A negative verdict at a weak dose may not name the policy."""
        return self.weak and self.comparison.verdict in NEGATIVE

    @property
    def withheld(self) -> bool:
        """A claim that holds on the complete pairs, and not with the lost ones at their worst."""
        return self.comparison.worst_case is not None and self.comparison.verdict != "supported"

    @property
    def bounds_hold(self) -> bool:
        """What the intervals exclude is excluded for the treatment: it was delivered, and no lost pair undoes it."""
        return not self.withheld and self.comparison.verdict not in ("invalid_data", "treatment_not_delivered")

    @property
    def size(self) -> int:
        """S, the size of the verdict set."""
        return len(self.summaries)

    @property
    def level(self) -> str:
        """The family interval by name: `98.3 % interval (family of 3)`."""
        return f"{numbers.percent(self.comparison.family_confidence)} interval (family of {self.comparison.k})"

    @property
    def basis(self) -> str:
        """The same inside brackets, with n: `98.3 % interval, family of 3, n = 3 seed pairs`."""
        level = numbers.percent(self.comparison.family_confidence)
        return f"{level} interval, family of {self.comparison.k}, {self.pairs}"

    @property
    def above(self) -> tuple[str, ...]:
        """Summaries whose family interval lies above zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "better")

    @property
    def below(self) -> tuple[str, ...]:
        """Summaries whose family interval lies below zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "worse")

    @property
    def pairs(self) -> str:
        """`n = 3 seed pairs`."""
        return f"n = {self.n} seed {'pair' if self.n == 1 else 'pairs'}"


def facts(comparison: Comparison) -> Facts:
    """Reads what the sentences need; computes nothing that the verdict does not hold."""
    weak = comparison.delivery.status == "weak"
    hides = weak and comparison.verdict in NEGATIVE
    summaries = tuple(
        sorted(
            comparison.summaries.values(),
            key=lambda one: (one.low_family is None, one.low_family or 0.0, one.summary),
        )
    )
    return Facts(
        comparison=comparison,
        treatment="the treatment as delivered" if hides else comparison.treatment,
        control=comparison.control,
        weak=weak,
        n=min((one.n for one in summaries), default=0),
        primary=comparison.summaries.get(comparison.primary),
        summaries=summaries,
    )


def excluded_gains(one: SummaryVerdict) -> str:
    """What the family interval rules out upwards: `gains above 0.64 points`, `any gain`; empty without an interval."""
    return _excluded(one.high_family, "gain", "above")


def excluded_losses(one: SummaryVerdict) -> str:
    """What the family interval rules out downwards: `losses beyond 1.50 points`, `any loss`."""
    return _excluded(None if one.low_family is None else -one.low_family, "loss", "beyond")


def _excluded(bound: float | None, noun: str, beyond: str) -> str:
    if bound is None:
        return ""
    if bound <= 0:
        return f"any {noun}"
    plural = "losses" if noun == "loss" else f"{noun}s"
    return f"{plural} {beyond} {numbers.limit(bound, 'high')} points"
