"""Facts that fill the sentences about one comparison, derived once from the stored verdict."""

from typing import NamedTuple

from policies.model import StrictModel
from tools.statistics.verdict_model import Comparison, SummaryVerdict
from tools.text import numbers

NEGATIVE = ("negative_equivalent", "negative_inconclusive")
NO_VERDICT = ("invalid_data", "treatment_not_delivered", "not_estimable")


class Facts(NamedTuple):
    """Names and counts of one comparison, for use in sentences."""

    comparison: Comparison
    treatment: str
    """The treatment's name in sentences: its arm id, or `the treatment as delivered`."""
    control: str
    weak: bool
    """Whether there is a verdict at a dose below the plan's minimum."""
    n: int
    """Seed pairs behind the verdict; the smallest number over summaries if they differ."""
    primary: SummaryVerdict | None
    summaries: tuple[SummaryVerdict, ...]
    """Sorted by the lower family limit, worst first; those without an interval last."""

    @property
    def difference(self) -> str:
        """The name of the estimand: treatment minus control."""
        left = "treatment" if self.hides_name else self.comparison.treatment
        return f"{left} - {'control' if self.hides_name else self.control}"

    @property
    def hides_name(self) -> bool:
        """Whether sentences hide the policy's name: a negative verdict at a weak dose may not name it."""
        return self.weak and self.comparison.verdict in NEGATIVE

    @property
    def withheld(self) -> bool:
        """Whether a claim holds with complete pairs only, but not with the lost ones at their worst."""
        return self.comparison.worst_case is not None and self.comparison.verdict != "supported"

    @property
    def bounds_hold(self) -> bool:
        """Whether bounds from the intervals may be claimed: there is a verdict that no lost pair can undo."""
        return not self.withheld and self.comparison.verdict not in NO_VERDICT

    @property
    def caveat(self) -> str:
        """The caveat over a figure that may be shown alone; empty where none is needed."""
        if self.comparison.verdict == "treatment_not_delivered":
            return "treatment not delivered"
        if self.withheld:
            return "complete pairs only, claim withheld"
        return "weak dose" if self.weak else ""

    @property
    def size(self) -> int:
        """The number of summaries in the verdict set (S)."""
        return len(self.summaries)

    @property
    def level(self) -> str:
        """The name of the family interval: `98.3 % interval (family of 3)`."""
        return f"{numbers.percent(self.comparison.family_confidence)} {self.kind} (family of {self.comparison.k})"

    @property
    def kind(self) -> str:
        """`interval`; `repeated interval`, which holds jointly over all looks, where the plan was sequential."""
        return "repeated interval" if self.comparison.repeated else "interval"

    @property
    def basis(self) -> str:
        """Level, family and n, for use in parentheses: `98.3 % interval, family of 3, n = 3 seed pairs`."""
        level = numbers.percent(self.comparison.family_confidence)
        return f"{level} {self.kind}, family of {self.comparison.k}, {self.pairs}"

    @property
    def above(self) -> tuple[str, ...]:
        """Summaries whose family interval is above zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "better")

    @property
    def below(self) -> tuple[str, ...]:
        """Summaries whose family interval is below zero."""
        return tuple(one.summary for one in self.summaries if one.verdict == "worse")

    @property
    def shown(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The summaries above and below zero that "it depends on the summary" may name.

        Each excludes zero at the level that singling out one summary requires, or they have opposite signs.
        """
        if self.above and self.below:
            return self.above, self.below
        strict = set(self.comparison.exclusions_strict)
        return tuple(one for one in self.above if one in strict), tuple(one for one in self.below if one in strict)

    @property
    def shown_basis(self) -> str:
        """Like `basis`, at the level that `shown` uses."""
        if (self.above and self.below) or self.comparison.strict_confidence is None:
            return self.basis
        level = numbers.percent(self.comparison.strict_confidence, 2)
        return f"{level} {self.kind}, family of {self.comparison.k} times {self.size} summaries, {self.pairs}"

    @property
    def unlooked(self) -> bool:
        """Whether differences vary but the sequential plan has no interval at this number of pairs."""
        return self.comparison.repeated and any(one.sd and one.low_family is None for one in self.summaries)

    @property
    def stuck(self) -> str:
        """The summaries without an interval: `under every summary`, `under flat_12`."""
        names = [one.summary for one in self.summaries if one.verdict == "not_estimable"]
        return "under every summary" if len(names) == self.size else f"under {numbers.listed(names)}"

    @property
    def pairs(self) -> str:
        """The number of pairs as text: `n = 3 seed pairs`."""
        return f"n = {self.n} seed {'pair' if self.n == 1 else 'pairs'}"


def facts(comparison: Comparison) -> Facts:
    """Reads what the sentences need; computes nothing that the verdict does not contain."""
    weak = comparison.delivery.status == "weak" and comparison.verdict not in NO_VERDICT
    hides = weak and comparison.verdict in NEGATIVE
    summaries = tuple(
        sorted(
            comparison.summaries.values(), key=lambda one: (one.low_family is None, one.low_family or 0.0, one.summary)
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
    """Returns `gains above 0.64 points and losses beyond 1.50 points are excluded`; empty where nothing is."""
    found = [bound for bound in (excluded_gains(one), excluded_losses(one)) if bound]
    return f"{numbers.listed(found)} {_is_or_are(found)} excluded" if found else ""


def excluded_above(one: SummaryVerdict) -> str:
    """Returns the excluded gains alone, `on the primary summary`; empty where none are excluded."""
    found = excluded_gains(one)
    return f"{found} on the primary summary {_is_or_are([found])} excluded" if found else ""


def _is_or_are(found: list[str]) -> str:
    return "is" if len(found) == 1 and found[0].startswith("any") else "are"


def excluded_gains(one: SummaryVerdict) -> str:
    """Returns the gains that the family interval excludes: `gains above 0.64 points`, `any gain`; empty if none."""
    return "" if one.high_family is None or open_above(one) else _excluded(one.high_family, "gain", "gains above")


def excluded_losses(one: SummaryVerdict) -> str:
    """Returns the losses that the family interval excludes: `losses beyond 1.50 points`, `any loss`; empty if none."""
    return "" if one.low_family is None or open_below(one) else _excluded(-one.low_family, "loss", "losses beyond")


def open_above(one: SummaryVerdict) -> bool:
    """Returns whether the upper limit excludes no gain: the control leaves no room for a larger one."""
    return one.high_family is not None and one.high_family >= 100.0 - (one.control_mean or 0.0)


def open_below(one: SummaryVerdict) -> bool:
    """Returns whether the lower limit excludes no loss: the control leaves no room for a larger one."""
    return one.low_family is not None and -one.low_family >= (100.0 if one.control_mean is None else one.control_mean)


def _excluded(bound: float, noun: str, beyond: str) -> str:
    return f"any {noun}" if bound <= 0 else f"{beyond} {numbers.limit(bound, 'high')} points"


class Claim(StrictModel):
    """One claim with its final text: every number in it comes from a stored value, with unit, n and rounding."""

    id: str
    """Dotted, unique within a study: `tscl.verdict`, `plan.detectable`."""
    text: str
    """Plain text in English; no Markdown."""
