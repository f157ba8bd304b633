"""Every sentence and table of a report, ready for the template, which computes nothing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tools.evaluation.material import ReportMaterial
from tools.report.claims.comparison import failures_sentence, weak_prefix
from tools.report.claims.delivery import delivery, delivery_short
from tools.report.claims.facts import Facts, facts
from tools.report.claims.sequential import fixed_seeds_warning
from tools.report.claims.titles import title, verdict_name
from tools.report.conclusion import Conclusion, conclusion
from tools.report.study.about_study import study_view
from tools.report.study.diagnostics import Diagnostic, benchmark_diagnostics, outcome_diagnostics
from tools.report.study.doses import dose_section
from tools.report.study.power import power_view
from tools.report.study.sensitivity import StudySensitivity
from tools.statistics.verdict_model import Comparison
from tools.text import numbers
from tools.text.markdown import Column, Section, table, text


class ComparisonView(NamedTuple):
    """The sentences and tables of one comparison; empty strings where there is nothing to report."""

    conclusion: Conclusion
    sensitivity: tuple[Section, ...]
    evidence: str
    benchmarks: str
    level: str
    fixed_seeds: str
    """The warning over intervals that know only a fixed number of seeds."""
    delivery: str
    delivery_reasons: tuple[str, ...]
    doses: str
    outcomes: str


def report_view(material: ReportMaterial, figures: Mapping[str, bool], sensitivity: StudySensitivity) -> dict[str, Any]:
    """Returns the variables of the report template."""
    verdict = material.verdict
    return study_view(material, title(verdict), _failures(material), figures) | {
        "power": power_view(material),
        "comparisons": [comparison_view(material, one, sensitivity) for one in verdict.comparisons],
        "sensitivity": sensitivity.of_study(),
        "doses": dose_section(material),
        "overview": _overview([facts(one) for one in verdict.comparisons]),
    }


def comparison_view(material: ReportMaterial, comparison: Comparison, sensitivity: StudySensitivity) -> ComparisonView:
    """Returns the sentences and tables of one comparison, from the stored verdict and scores."""
    one = facts(comparison)
    return ComparisonView(
        conclusion=_exploratory(conclusion(one)) if material.exploratory else conclusion(one),
        sensitivity=sensitivity.of_comparison(comparison),
        evidence=_evidence(material, one),
        benchmarks=_benchmarks(material, one),
        level=numbers.percent(comparison.confidence),
        fixed_seeds=fixed_seeds_warning(one),
        delivery=text(delivery(comparison)),
        delivery_reasons=tuple(text(reason) for reason in comparison.delivery.reasons),
        doses=_doses(comparison),
        outcomes=_outcomes(material, one),
    )


def _exploratory(found: Conclusion) -> Conclusion:
    """Marks each sentence that may be said as exploratory, since it may be quoted without the report's head."""
    return found._replace(
        said=tuple(f"Exploratory: {sentence}" for sentence in found.said),
        unsaid=(*found.unsaid, "That any of this is confirmed: the plan was changed during the study."),
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
        "treatment", "verdict", Column("n", "right"), Column("primary difference", "right"),
        Column(comparisons[0].level, "right"),
    ]  # fmt: skip
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
