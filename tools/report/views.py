"""What the template prints: every sentence and table of a report, ready made. The template itself computes nothing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tools.report import numbers
from tools.report.conclusion import Conclusion, conclusion
from tools.report.delivery_wording import delivery, delivery_short
from tools.report.diagnostics import Diagnostic, benchmark_diagnostics, outcome_diagnostics
from tools.report.facts import Facts, facts
from tools.report.markdown import Column, table, text
from tools.report.material import ReportMaterial
from tools.report.power_view import power_view
from tools.report.report_dose import dose_section
from tools.report.section import Section
from tools.report.study_sensitivity import StudySensitivity
from tools.report.study_view import study_view
from tools.report.titles import title, verdict_name
from tools.report.wording import failures_sentence, weak_prefix
from tools.statistics.verdict_model import Comparison


class ComparisonView(NamedTuple):
    """One comparison's sentences and tables; empty strings where there is nothing to say."""

    conclusion: Conclusion
    sensitivity: tuple[Section, ...]
    evidence: str
    benchmarks: str
    level: str
    delivery: str
    delivery_reasons: tuple[str, ...]
    doses: str
    outcomes: str


def report_view(material: ReportMaterial, figures: Mapping[str, bool], sensitivity: StudySensitivity) -> dict[str, Any]:
    """Everything the report template names."""
    verdict = material.verdict
    return study_view(material, title(verdict), _failures(material), figures) | {
        "power": power_view(material),
        "comparisons": [comparison_view(material, one, sensitivity) for one in verdict.comparisons],
        "sensitivity": sensitivity.of_study(),
        "doses": dose_section(material),
        "overview": _overview([facts(one) for one in verdict.comparisons]),
    }


def comparison_view(material: ReportMaterial, comparison: Comparison, sensitivity: StudySensitivity) -> ComparisonView:
    """One comparison, filled from the stored verdict and scores."""
    one = facts(comparison)
    return ComparisonView(
        conclusion=_exploratory(conclusion(one)) if material.exploratory else conclusion(one),
        sensitivity=sensitivity.of_comparison(comparison),
        evidence=_evidence(material, one),
        benchmarks=_benchmarks(material, one),
        level=numbers.percent(comparison.confidence),
        delivery=text(delivery(comparison)),
        delivery_reasons=tuple(text(reason) for reason in comparison.delivery.reasons),
        doses=_doses(comparison),
        outcomes=_outcomes(material, one),
    )


def _exploratory(found: Conclusion) -> Conclusion:
    """What may be said is marked where it is said: who quotes it leaves the head of the report behind."""
    return found._replace(
        said=tuple(f"Exploratory: {sentence}" for sentence in found.said),
        unsaid=(*found.unsaid, "That any of this is confirmed: the plan was changed on the way."),
    )


def _failures(material: ReportMaterial) -> str:
    known = material.runs or any(any(one.failures.values()) for one in material.verdict.comparisons)
    return failures_sentence(*material.verdict.comparisons) if known else ""


def _evidence(material: ReportMaterial, one: Facts) -> str:
    matched = (
        material.matching is not None
        and material.matching.pairs > 0
        and one.n > 0
        and one.comparison.verdict != "invalid_data"
        and all(found.treatment != one.comparison.treatment for found in material.matching.differences)
    )
    pairs = f"{one.n} {'matched ' if matched else ''}seed {'pair' if one.n == 1 else 'pairs'}"
    return f"**n = {pairs}.** Delivery: {text(delivery_short(one.comparison.delivery))}."


def _overview(comparisons: list[Facts]) -> str:
    columns: list[Column | str] = [
        "treatment",
        "verdict",
        Column("n", "right"),
        Column("primary difference", "right"),
        Column(comparisons[0].level, "right"),
    ]
    rows = []
    for one in comparisons:
        primary = one.primary
        shown = primary is not None and one.comparison.verdict != "invalid_data"
        rows.append(
            [
                text(one.comparison.treatment),
                text(f"{weak_prefix(one)}{verdict_name(one.comparison)}"),
                str(one.n),
                numbers.signed(primary.mean) if primary and shown else numbers.MISSING,
                numbers.interval(primary.low_family, primary.high_family) if primary and shown else numbers.MISSING,
            ]
        )
    return table(columns, rows)


def _benchmarks(material: ReportMaterial, one: Facts) -> str:
    found = benchmark_diagnostics(material, one.comparison)
    if not found:
        return ""
    arms = _arm_columns(one)
    columns: list[Column | str] = ["benchmark", "domain", Column("questions", "right"), Column("n", "right"), *arms]
    rows = [[text(row.name), text(row.group), str(row.questions), *_cells(row, 2)] for row in found]
    return table([*columns, Column("difference", "right"), Column("interval", "right")], rows)


def _outcomes(material: ReportMaterial, one: Facts) -> str:
    found = outcome_diagnostics(material, one.comparison)
    if not found:
        return ""
    columns: list[Column | str] = ["outcome", "unit", Column("n", "right"), *_arm_columns(one)]
    rows = [[text(row.name), text(row.group), *_cells(row, outcome.decimals)] for outcome, row in found]
    return table([*columns, Column("difference", "right"), Column("interval", "right")], rows)


def _arm_columns(one: Facts) -> list[Column]:
    return [Column(text(arm), "right") for arm in (one.comparison.treatment, one.control)]


def _cells(row: Diagnostic, decimals: int) -> list[str]:
    return [
        str(row.difference.n),
        numbers.fixed(row.treatment_mean, decimals),
        numbers.fixed(row.control_mean, decimals),
        numbers.signed(row.difference.mean, decimals),
        numbers.interval(row.difference.low, row.difference.high, decimals),
    ]


def _doses(comparison: Comparison) -> str:
    doses = comparison.delivery.by_seed
    if not doses:
        return ""
    return table(
        ["seed", Column("dose", "right")], [[text(seed), numbers.fixed(dose, 3)] for seed, dose in doses.items()]
    )
