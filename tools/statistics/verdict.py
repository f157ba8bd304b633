"""From scores to verdicts: a total function; every input gets exactly one overall verdict, the first that holds.

`invalid_data` > `treatment_not_delivered` > `not_estimable` > what `tools.statistics.decision.decide` says.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.scores import integrity
from tools.scores.table import ScoreTable
from tools.statistics.decision import DECISIONS, decide, inside, reading
from tools.statistics.equivalence import tost_interval
from tools.statistics.family import family_confidence, holm
from tools.statistics.lost_pairs import at_worst, lost_seeds
from tools.statistics.paired import paired_t
from tools.statistics.summary_matrix import SummaryMatrix
from tools.statistics.verdict_model import Comparison, OverallVerdict, SummaryVerdict, Verdict
from tools.study.delivery_model import Delivery
from tools.study.plan import Analysis

NOT_RECORDED = Delivery(status="not_recorded")


class _Outcome(NamedTuple):
    """What is said over all summaries."""

    verdict: OverallVerdict
    direction: Literal["better", "worse"] | None = None
    negligible: bool = False
    worst_case: OverallVerdict | None = None
    faults: tuple[str, ...] = ()


class _Asked(NamedTuple):
    """What is the same for every comparison of one call."""

    table: ScoreTable
    control: str
    analysis: Analysis
    chosen: SummaryMatrix
    deliveries: Mapping[str, Delivery]
    failures: Mapping[str, int]
    planned: tuple[int, ...] | None
    mismatches: Mapping[str, Sequence[str]]

    @property
    def family(self) -> float:
        """1 - alpha / k."""
        return family_confidence(self.analysis.confidence, self.analysis.family_size)

    @property
    def strict(self) -> float:
        """1 - alpha / (k S)."""
        return family_confidence(self.family, len(self.chosen.summaries))


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
) -> Verdict:
    """Judges every treatment against the control; total: scores, however bad, give a verdict and never an exception.

    deliveries: by treatment; one that is absent is `not_recorded` and does not stop a verdict.
    failures: failed runs by arm, shown beside the verdict.
    planned_seeds: a planned seed without a complete pair is a lost pair. Default, for a bare table: only the seeds that
        both arms have in part are lost; a seed of one arm alone is noted and left out.
    mismatches: by treatment, what else differs from the control though it must not; each is a fault.
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
    )
    adjusted = _holm(asked, treatments)
    comparisons = tuple(_compare(asked, treatment, adjusted[treatment]) for treatment in treatments)
    return Verdict(suite=table.suites[0], comparisons=comparisons)


def _compare(asked: _Asked, treatment: str, p_holm: Mapping[str, float | None]) -> Comparison:
    arms = (asked.control, treatment)
    pairs = asked.table.paired(treatment, asked.control, asked.chosen.benchmarks)
    differences, controls = asked.chosen.differences(pairs), asked.chosen.control_means(pairs)
    lost = lost_seeds(asked.table, treatment, asked.control, asked.chosen.benchmarks, asked.planned)
    delivery = asked.deliveries.get(treatment, NOT_RECORDED)
    summaries = {
        summary: _summarise(asked, summary, pairs.seeds, differences[:, column], controls[column], p_holm[summary])
        for column, summary in enumerate(asked.chosen.summaries)
    }
    outcome = _outcome(asked, treatment, summaries, differences, pairs.seeds, lost, delivery)
    if outcome.verdict == "invalid_data":
        summaries = {summary: _unread(item) for summary, item in summaries.items()}
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
        exclusions_strict=tuple(
            name for name, item in summaries.items() if item.p is not None and item.p < 1.0 - asked.strict
        ),
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
    """The first verdict that holds."""
    faults = tuple(asked.mismatches.get(treatment, ())) + integrity.faults(
        asked.table, (asked.control, treatment), asked.chosen.benchmarks
    )
    if faults:
        return _Outcome("invalid_data", faults=faults)
    if delivery.status == "not_delivered":
        return _Outcome("treatment_not_delivered", faults=delivery.reasons)
    reasons = tuple(line for item in summaries.values() for line in _not_estimable(item))
    if reasons:
        return _Outcome("not_estimable", faults=reasons)
    outcome = _decided(asked.analysis, differences)
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
    worst = _decided(asked.analysis, asked.chosen.differences(filled))
    if (worst.verdict, worst.direction) == (outcome.verdict, outcome.direction):
        return outcome._replace(worst_case=worst.verdict)
    # Filled-in scores can take a claim away, not make another one, such as "depends" or "equivalent".
    return _Outcome("negative_inconclusive", worst_case="negative_inconclusive")


def _decided(analysis: Analysis, differences: NDArray[np.float64]) -> _Outcome:
    """Of estimable differences (seeds, summaries)."""
    n = len(differences)
    errors = differences.std(axis=0, ddof=1) / n**0.5
    decision = decide(differences.mean(axis=0), errors, n, analysis.confidence, analysis.family_size, analysis.sesoi)
    sign = int(decision.direction)
    direction: Literal["better", "worse"] | None = None if sign == 0 else "better" if sign > 0 else "worse"
    return _Outcome(DECISIONS[int(decision.code)], direction, bool(decision.negligible))


def _summarise(
    asked: _Asked,
    summary: str,
    seeds: tuple[int, ...],
    differences: NDArray[np.float64],
    control_mean: float | None,
    p_holm: float | None,
) -> SummaryVerdict:
    alone = paired_t(differences, asked.analysis.confidence)
    family = paired_t(differences, asked.family)
    tost = tost_interval(differences, asked.analysis.confidence)
    sesoi = asked.analysis.sesoi
    read = reading(family.low, family.high, sesoi)
    return SummaryVerdict(
        summary=summary,
        n=alone.n,
        differences={str(seed): float(value) for seed, value in zip(seeds, differences, strict=True)},
        control_mean=control_mean,
        mean=alone.mean,
        sd=alone.sd,
        low=alone.low,
        high=alone.high,
        low_family=family.low,
        high_family=family.high,
        p=alone.p,
        p_holm=p_holm,
        low_tost=tost.low,
        high_tost=tost.high,
        sesoi=sesoi,
        verdict=read,
        negligible=read in ("better", "worse") and inside(family.low, family.high, sesoi),
    )


def _unread(item: SummaryVerdict) -> SummaryVerdict:
    """Without any number: what invalid data would say is not printed."""
    return SummaryVerdict(
        summary=item.summary, n=item.n, differences={}, control_mean=None, mean=None, sd=None, low=None, high=None,
        low_family=None, high_family=None, p=None, p_holm=None, low_tost=None, high_tost=None, sesoi=item.sesoi,
        verdict="not_estimable",
    )  # fmt: skip


def _not_estimable(item: SummaryVerdict) -> tuple[str, ...]:
    if item.n < 2:
        return (f"{item.summary}: n = {item.n}, an interval needs at least 2 complete pairs",)
    if item.low_family is None:
        return (f"{item.summary}: all {item.n} paired differences are equal (SD 0), suspected identical runs",)
    return ()


def _lost_notes(seeds: tuple[int, ...], lost: tuple[int, ...], outcome: _Outcome) -> tuple[str, ...]:
    if not lost:
        return ()
    named = f"seed{'' if len(lost) == 1 else 's'} {', '.join(map(str, lost))}"
    lines = [f"lost pairs: {len(lost)} of {len(lost) + len(seeds)} ({named})"]
    if outcome.worst_case == "supported":
        lines.append("the claim holds with every lost pair at its worst possible score")
    elif outcome.worst_case:
        lines.append(
            "supported on the complete pairs only: with the lost pairs at their worst possible score it is not"
        )
    elif outcome.verdict == "negative_equivalent":
        lines.append("equivalent on the complete pairs only: the lost ones could differ by any amount")
    return tuple(lines)


def _extremes(summaries: Mapping[str, SummaryVerdict]) -> tuple[str | None, str | None]:
    """The summaries whose difference, in its own standard errors, is lowest and highest."""
    ratios = {name: item.mean / item.sd for name, item in summaries.items() if item.mean is not None and item.sd}
    if len(ratios) < len(summaries):
        return None, None
    return min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and (low > 0 or high < 0)


def _holm(asked: _Asked, treatments: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Treatment -> summary -> Holm p over the family of treatments, which may be larger than the treatments at hand."""
    p: dict[str, dict[str, float | None]] = {}
    for treatment in treatments:
        pairs = asked.table.paired(treatment, asked.control, asked.chosen.benchmarks)
        columns = asked.chosen.differences(pairs).T
        p[treatment] = {
            summary: paired_t(column, asked.analysis.confidence).p
            for summary, column in zip(asked.chosen.summaries, columns, strict=True)
        }
    adjusted: dict[str, dict[str, float | None]] = {treatment: {} for treatment in treatments}
    for summary in asked.chosen.summaries:
        of_summary = holm({t: p[t][summary] for t in treatments}, asked.analysis.family_size)
        for treatment in treatments:
            adjusted[treatment][summary] = of_summary[treatment]
    return adjusted
