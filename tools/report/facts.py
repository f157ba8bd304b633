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
    """Judged, at a dose below the plan's minimum."""
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
        """What the intervals exclude is excluded for the treatment: there is a verdict, and no lost pair undoes it."""
        return not self.withheld and self.comparison.verdict not in NO_VERDICT

    @property
    def caveat(self) -> str:
        """What must stand over a figure that may be shown alone; empty where nothing speaks against it."""
        if self.comparison.verdict == "treatment_not_delivered":
            return "treatment not delivered"
        if self.withheld:
            return "complete pairs only, claim withheld"
        return "weak dose" if self.weak else ""

    @property
    def size(self) -> int:
        """S, the size of the verdict set."""
        return len(self.summaries)

    @property
    def level(self) -> str:
        """The family interval by name: `98.3 % interval (family of 3)`."""
        return f"{numbers.percent(self.comparison.family_confidence)} {self.kind} (family of {self.comparison.k})"

    @property
    def kind(self) -> str:
        """What an interval is: where a sequential plan decided when to stop, one that holds at all looks together."""
        return "repeated interval" if self.comparison.repeated else "interval"

    @property
    def basis(self) -> str:
        """The same inside brackets, with n: `98.3 % interval, family of 3, n = 3 seed pairs`."""
        level = numbers.percent(self.comparison.family_confidence)
        return f"{level} {self.kind}, family of {self.comparison.k}, {self.pairs}"

    @property
    def above(self) -> tuple[str, ...]:
        """Summaries whose family interval lies above zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "better")

    @property
    def below(self) -> tuple[str, ...]:
        """Summaries whose family interval lies below zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "worse")

    @property
    def shown(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The summaries above zero and below it that "it depends on the summary" may name.

        Each excludes zero at the level that singling out one summary asks for, or they have opposite signs.
        """
        if self.above and self.below:
            return self.above, self.below
        strict = set(self.comparison.exclusions_strict)
        return tuple(one for one in self.above if one in strict), tuple(one for one in self.below if one in strict)

    @property
    def shown_basis(self) -> str:
        """As `basis`, at the level that `shown` reads."""
        if (self.above and self.below) or self.comparison.strict_confidence is None:
            return self.basis
        level = numbers.percent(self.comparison.strict_confidence, 2)
        return f"{level} {self.kind}, family of {self.comparison.k} times {self.size} summaries, {self.pairs}"

    @property
    def unlooked(self) -> bool:
        """Differences that vary, at a number of pairs for which the sequential plan has no interval."""
        return self.comparison.repeated and any(one.sd and one.low_family is None for one in self.summaries)

    @property
    def stuck(self) -> str:
        """Where there is no interval: `under every summary`, `under flat_12`."""
        names = [one.summary for one in self.summaries if one.verdict == "not_estimable"]
        return "under every summary" if len(names) == self.size else f"under {numbers.listed(names)}"

    @property
    def pairs(self) -> str:
        """`n = 3 seed pairs`."""
        return f"n = {self.n} seed {'pair' if self.n == 1 else 'pairs'}"


def facts(comparison: Comparison) -> Facts:
    """Reads what the sentences need; computes nothing that the verdict does not hold."""
    weak = comparison.delivery.status == "weak" and comparison.verdict not in NO_VERDICT
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


def excluded(one: SummaryVerdict) -> str:
    """`gains above 0.64 points and losses beyond 1.50 points are excluded`; empty where nothing is."""
    found = [bound for bound in (excluded_gains(one), excluded_losses(one)) if bound]
    return f"{numbers.listed(found)} {_is_or_are(found)} excluded" if found else ""


def excluded_above(one: SummaryVerdict) -> str:
    """The same of gains alone, with the summary called the primary one."""
    found = excluded_gains(one)
    return f"{found} on the primary summary {_is_or_are([found])} excluded" if found else ""


def _is_or_are(found: list[str]) -> str:
    return "is" if len(found) == 1 and found[0].startswith("any") else "are"


def excluded_gains(one: SummaryVerdict) -> str:
    """What the family interval rules out upwards: `gains above 0.64 points`, `any gain`; empty where it is nothing."""
    return "" if one.high_family is None or open_above(one) else _excluded(one.high_family, "gain", "gains above")


def excluded_losses(one: SummaryVerdict) -> str:
    """What the family interval rules out downwards: `losses beyond 1.50 points`, `any loss`."""
    return "" if one.low_family is None or open_below(one) else _excluded(-one.low_family, "loss", "losses beyond")


def open_above(one: SummaryVerdict) -> bool:
    """The upper limit lies beyond the largest gain that the control leaves room for: it excludes nothing."""
    return one.high_family is not None and one.high_family >= 100.0 - (one.control_mean or 0.0)


def open_below(one: SummaryVerdict) -> bool:
    """The lower limit lies beyond the largest loss that the control leaves room for."""
    return one.low_family is not None and -one.low_family >= (100.0 if one.control_mean is None else one.control_mean)


def _excluded(bound: float, noun: str, beyond: str) -> str:
    return f"any {noun}" if bound <= 0 else f"{beyond} {numbers.limit(bound, 'high')} points"
