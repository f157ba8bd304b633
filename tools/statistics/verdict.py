"""From scores to verdicts, as a total function: every input gets exactly one overall verdict, the first that applies.

`invalid_data` > `treatment_not_delivered` > `not_estimable` > the verdict of `tools.statistics.decision.decide`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.plan.analysis import Analysis
from tools.scores import integrity
from tools.scores.summary_matrix import SummaryMatrix
from tools.scores.table import PairedScores, ScoreTable
from tools.statistics.decision import DECISIONS, decide, inside, reading
from tools.statistics.delivery_model import Delivery
from tools.statistics.levels import family_confidence, holm, tost_confidence
from tools.statistics.lost_pairs import at_worst, lost_seeds
from tools.statistics.paired import Critical, PairedColumns, fixed, paired_columns
from tools.statistics.verdict_model import Comparison, OverallVerdict, SummaryVerdict, Verdict
from tools.text.numbers import finite

NOT_RECORDED = Delivery(status="not_recorded")


class _Outcome(NamedTuple):
    """The overall verdict over all summaries."""

    verdict: OverallVerdict
    direction: Literal["better", "worse"] | None = None
    negligible: bool = False
    worst_case: OverallVerdict | None = None
    faults: tuple[str, ...] = ()


class _Asked(NamedTuple):
    """What all comparisons of one call share."""

    table: ScoreTable
    control: str
    analysis: Analysis
    chosen: SummaryMatrix
    deliveries: Mapping[str, Delivery]
    failures: Mapping[str, int]
    planned: tuple[int, ...] | None
    mismatches: Mapping[str, Sequence[str]]
    critical: Critical

    @property
    def family(self) -> float:
        """1 - alpha / k."""
        return family_confidence(self.analysis.confidence, self.analysis.family_size)

    @property
    def strict(self) -> float:
        """1 - alpha / (k S)."""
        return family_confidence(self.family, len(self.chosen.summaries))


class _Measured(NamedTuple):
    """The paired differences of one comparison."""

    faults: tuple[str, ...]
    """Faults that make the data invalid; nothing is then computed from them."""
    pairs: PairedScores
    differences: NDArray[np.float64]
    """(seeds, summaries)."""
    columns: PairedColumns


def judge(
    table: ScoreTable,
    control: str,
    treatments: Sequence[str],
    analysis: Analysis,
    deliveries: Mapping[str, Delivery] | None = None,
    failures: Mapping[str, int] | None = None,
    *,
    planned_seeds: Sequence[int] | None = None,
    mismatches: Mapping[str, Sequence[str]] | None = None,
    critical: Critical = fixed,
) -> Verdict:
    """Judges every treatment against the control; any scores, however bad, give a verdict and never an exception.

    deliveries: by treatment; an absent one is `not_recorded` and does not prevent a verdict.
    failures: failed runs by arm, reported beside the verdict.
    planned_seeds: a planned seed without a complete pair is a lost pair. Default, for a bare table: only the seeds that
        both arms have in part are lost; a seed of one arm alone is noted and left out.
    mismatches: by treatment, what differs from the control but must not; each is a fault.
    critical: `sequential.repeated.Repeated` if the looks of the plan decided how many seeds there are: all intervals
        are then repeated ones, without p-values, since those for a fixed number of pairs are not valid.
    """
    asked = _Asked(
        table,
        control,
        analysis,
        SummaryMatrix.of(analysis.summaries),
        deliveries or {},
        failures or {},
        None if planned_seeds is None else tuple(planned_seeds),
        mismatches or {},
        critical,
    )
    measured = {treatment: _measure(asked, treatment) for treatment in treatments}
    adjusted = _holm(asked, measured)
    comparisons = tuple(_compare(asked, treatment, each, adjusted[treatment]) for treatment, each in measured.items())
    return Verdict(suite=table.suites[0], comparisons=comparisons)


def _measure(asked: _Asked, treatment: str) -> _Measured:
    benchmarks = asked.chosen.benchmarks
    faults = integrity.faults(asked.table, (asked.control, treatment), benchmarks)
    faults = (*asked.mismatches.get(treatment, ()), *faults)
    pairs = asked.table.paired(treatment, asked.control, benchmarks)
    differences = np.empty((0, len(asked.chosen.summaries))) if faults else asked.chosen.differences(pairs)
    return _Measured(faults, pairs, differences, paired_columns(differences))


def _compare(asked: _Asked, treatment: str, measured: _Measured, p_holm: Mapping[str, float | None]) -> Comparison:
    arms = (asked.control, treatment)
    pairs, differences = measured.pairs, measured.differences
    lost = lost_seeds(asked.table, treatment, asked.control, asked.chosen.benchmarks, asked.planned)
    delivery = asked.deliveries.get(treatment, NOT_RECORDED)
    if measured.faults:
        outcome = _Outcome("invalid_data", faults=measured.faults)
        summaries = _unread(asked, pairs)
    else:
        summaries = _summarise(asked, measured, p_holm)
        outcome = _outcome(asked, treatment, summaries, differences, pairs.seeds, lost, delivery)
    lowest, highest = _extremes(summaries)
    return Comparison(
        treatment=treatment,
        control=asked.control,
        k=asked.analysis.family_size,
        confidence=asked.analysis.confidence,
        family_confidence=asked.family,
        primary=asked.analysis.primary,
        verdict=outcome.verdict,
        direction=outcome.direction,
        negligible=outcome.negligible,
        summaries=summaries,
        exclusions_unadjusted=tuple(name for name, item in summaries.items() if _excludes_zero(item.low, item.high)),
        exclusions_expected=len(summaries) * (1.0 - asked.analysis.confidence),
        exclusions_strict=_strict(asked, measured),
        repeated=asked.critical is not fixed,
        strict_confidence=asked.strict,
        worst_summary=lowest,
        best_summary=highest,
        seeds=pairs.seeds,
        lost_seeds=lost,
        worst_case=outcome.worst_case,
        faults=outcome.faults,
        notes=integrity.notes(asked.table, arms, asked.chosen.benchmarks) + _lost_notes(pairs.seeds, lost, outcome),
        delivery=delivery,
        failures={arm: asked.failures.get(arm, 0) for arm in arms},
    )


def _outcome(
    asked: _Asked,
    treatment: str,
    summaries: Mapping[str, SummaryVerdict],
    differences: NDArray[np.float64],
    seeds: tuple[int, ...],
    lost: tuple[int, ...],
    delivery: Delivery,
) -> _Outcome:
    """The first verdict that applies to valid data."""
    if delivery.status == "not_delivered":
        return _Outcome("treatment_not_delivered", faults=delivery.reasons)
    reasons = tuple(line for item in summaries.values() for line in _not_estimable(item))
    if reasons:
        return _Outcome("not_estimable", faults=reasons)
    outcome = _decided(asked, differences)
    if outcome.verdict != "supported" or not lost:
        return outcome
    filled = at_worst(
        asked.table,
        treatment,
        asked.control,
        asked.chosen.benchmarks,
        sorted(seeds + lost),
        outcome.direction == "better",
    )
    worst = _decided(asked, asked.chosen.differences(filled))
    if (worst.verdict, worst.direction) == (outcome.verdict, outcome.direction):
        return outcome._replace(worst_case=worst.verdict)
    # Filled-in scores can remove a claim but never create another one, such as "depends" or "equivalent".
    return _Outcome("negative_inconclusive", worst_case="negative_inconclusive")


def _decided(asked: _Asked, differences: NDArray[np.float64]) -> _Outcome:
    """The overall verdict on estimable differences (seeds, summaries)."""
    analysis, n = asked.analysis, len(differences)
    means, errors = differences.mean(axis=0), differences.std(axis=0, ddof=1) / n**0.5
    k, sesois = analysis.family_size, analysis.sesois()
    decision = decide(means, errors, n, analysis.confidence, k, sesois, asked.critical)
    sign = int(decision.direction)
    direction: Literal["better", "worse"] | None = None if sign == 0 else "better" if sign > 0 else "worse"
    return _Outcome(DECISIONS[int(decision.code)], direction, bool(decision.negligible))


def _summarise(asked: _Asked, measured: _Measured, p_holm: Mapping[str, float | None]) -> dict[str, SummaryVerdict]:
    confidence, columns = asked.analysis.confidence, measured.columns
    controls = asked.chosen.control_means(measured.pairs)
    levels = (confidence, asked.family, tost_confidence(confidence))
    limits = [values.tolist() for level in levels for values in columns.limits(level, asked.critical)]
    rows = zip(columns.mean.tolist(), columns.sd.tolist(), columns.p.tolist(), *limits, strict=True)
    seeds = [str(seed) for seed in measured.pairs.seeds]
    found = {}
    for at, (summary, row) in enumerate(zip(asked.chosen.summaries, rows, strict=True)):
        mean, sd, p, low, high, low_family, high_family, low_tost, high_tost = map(finite, row)
        sesoi = asked.analysis.sesoi_of(summary)
        read = reading(low_family, high_family, sesoi)
        found[summary] = SummaryVerdict(
            summary=summary,
            n=columns.n,
            differences=dict(zip(seeds, measured.differences[:, at].tolist(), strict=True)),
            control_mean=controls[at],
            mean=mean,
            sd=sd,
            low=low,
            high=high,
            low_family=low_family,
            high_family=high_family,
            p=p if asked.critical is fixed else None,
            p_holm=p_holm[summary] if asked.critical is fixed else None,
            low_tost=low_tost,
            high_tost=high_tost,
            sesoi=sesoi,
            verdict=read,
            negligible=read in ("better", "worse") and inside(low_family, high_family, sesoi),
        )
    return found


def _unread(asked: _Asked, pairs: PairedScores) -> dict[str, SummaryVerdict]:
    """Summaries without any numbers: results from invalid data are not reported."""
    return {
        summary: SummaryVerdict(
            summary=summary, n=len(pairs.seeds), differences={}, control_mean=None, mean=None, sd=None, low=None,
            high=None, low_family=None, high_family=None, p=None, p_holm=None, low_tost=None, high_tost=None,
            sesoi=asked.analysis.sesoi_of(summary), verdict="not_estimable",
        )
        for summary in asked.chosen.summaries
    }  # fmt: skip


def _not_estimable(item: SummaryVerdict) -> tuple[str, ...]:
    if item.n < 2:
        return (f"{item.summary}: n = {item.n}, but an interval needs at least 2 complete pairs",)
    if item.sd == 0.0:
        return (f"{item.summary}: all {item.n} paired differences are equal (SD 0), suspected identical runs",)
    if item.low_family is None:
        return (f"{item.summary}: n = {item.n}, but the sequential plan has no look with an interval there",)
    return ()


def _lost_notes(seeds: tuple[int, ...], lost: tuple[int, ...], outcome: _Outcome) -> tuple[str, ...]:
    if not lost:
        return ()
    named = f"seed{'' if len(lost) == 1 else 's'} {', '.join(map(str, lost))}"
    lines = [f"lost pairs: {len(lost)} of {len(lost) + len(seeds)} ({named})"]
    if outcome.worst_case == "supported":
        lines.append("the claim holds with every lost pair at its worst possible score")
    elif outcome.worst_case:
        lines.append("supported on the complete pairs only, but not with every lost pair at its worst possible score")
    elif outcome.verdict == "negative_equivalent":
        lines.append("equivalent on the complete pairs only: the lost pairs could differ by any amount")
    return tuple(lines)


def _extremes(summaries: Mapping[str, SummaryVerdict]) -> tuple[str | None, str | None]:
    """The summaries whose difference, in units of its standard error, is lowest and highest."""
    ratios = {name: item.mean / item.sd for name, item in summaries.items() if item.mean is not None and item.sd}
    if len(ratios) < len(summaries):
        return None, None
    return min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and (low > 0 or high < 0)


def _strict(asked: _Asked, measured: _Measured) -> tuple[str, ...]:
    """Summaries whose interval excludes zero at the level required for "under some summary"."""
    low, high = measured.columns.limits(asked.strict, asked.critical)
    return tuple(name for name, out in zip(asked.chosen.summaries, (low > 0) | (high < 0), strict=True) if out)


def _holm(asked: _Asked, measured: Mapping[str, _Measured]) -> dict[str, dict[str, float | None]]:
    """Treatment -> summary -> Holm p over the family of treatments, which may be larger than the treatments at hand."""
    p = {treatment: [finite(value) for value in each.columns.p.tolist()] for treatment, each in measured.items()}
    adjusted: dict[str, dict[str, float | None]] = {treatment: {} for treatment in measured}
    for at, summary in enumerate(asked.chosen.summaries):
        of_summary = holm({treatment: own[at] for treatment, own in p.items()}, asked.analysis.family_size)
        for treatment, value in of_summary.items():
            adjusted[treatment][summary] = value
    return adjusted
