"""The report's numbers as CSV, unrounded: `summaries`, `benchmarks`, `scores`. A missing value is an empty cell."""

from tools.report.csv_text import csv_text
from tools.report.diagnostics import benchmark_diagnostics
from tools.report.facts import facts
from tools.report.material import ReportMaterial


def csv_tables(material: ReportMaterial) -> dict[str, str]:
    """Table name -> CSV text (RFC 4180, newline `\\n`)."""
    return {"summaries": _summaries(material), "benchmarks": _benchmarks(material), "scores": scores_csv(material)}


def _summaries(material: ReportMaterial) -> str:
    columns = (
        *(
            "summary",
            "n",
            "mean",
            "sd",
            "low",
            "high",
            "low_family",
            "high_family",
            "p",
            "p_holm",
            "low_tost",
            "high_tost",
        ),
        *("sesoi", "verdict", "negligible"),
    )
    rows = [
        [one.treatment, one.control, one.k, one.confidence, one.family_confidence, summary.summary == one.primary]
        + [getattr(summary, column) for column in columns]
        for one in material.verdict.comparisons
        for summary in facts(one).summaries
    ]
    return csv_text(("treatment", "control", "k", "confidence", "family_confidence", "primary", *columns), rows)


def _benchmarks(material: ReportMaterial) -> str:
    columns = (
        *(
            "treatment",
            "control",
            "benchmark",
            "domain",
            "questions",
            "n",
            "treatment_mean",
            "control_mean",
            "difference",
        ),
        *("sd", "low_unadjusted", "high_unadjusted"),
    )
    rows = [
        (
            *(one.treatment, one.control, row.name, row.group, row.questions, row.difference.n),
            *(row.treatment_mean, row.control_mean, row.difference.mean, row.difference.sd),
            *(row.difference.low, row.difference.high),
        )
        for one in material.verdict.comparisons
        for row in benchmark_diagnostics(material, one)
    ]
    return csv_text(columns, rows)


def scores_csv(material: ReportMaterial) -> str:
    """One row a score."""
    columns = ("arm", "seed", "suite", "benchmark", "domain", "score", "questions", "harness")
    return csv_text(columns, ([getattr(row, column) for column in columns] for row in material.scores))
