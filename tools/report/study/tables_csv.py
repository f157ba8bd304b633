"""The report's numbers as CSV, unrounded: `summaries`, `benchmarks`, `scores`. A missing value is an empty cell."""

from tools.evaluation.material import ReportMaterial
from tools.report.conclusion import SUMMARY_COLUMNS, summary_rows
from tools.report.files import Rows, csv_text
from tools.report.study.diagnostics import benchmark_diagnostics
from tools.statistics.verdict_model import Verdict


def csv_tables(material: ReportMaterial) -> dict[str, str]:
    """Table name -> CSV text (RFC 4180, newline `\\n`)."""
    return {
        "summaries": csv_text(*summaries(material.verdict)),
        "benchmarks": _benchmarks(material),
        "scores": scores_csv(material),
    }


def summaries(verdict: Verdict) -> Rows:
    """One row a comparison and summary."""
    rows = (
        [one.treatment, one.control, one.k, one.confidence, one.family_confidence, *row]
        for one in verdict.comparisons
        for row in summary_rows(one)
    )
    return Rows(("treatment", "control", "k", "confidence", "family_confidence", *SUMMARY_COLUMNS), rows)


def _benchmarks(material: ReportMaterial) -> str:
    columns = (
        "treatment", "control", "benchmark", "domain", "questions", "n", "treatment_mean", "control_mean", "difference",
        "sd", "low_unadjusted", "high_unadjusted",
    )  # fmt: skip
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
    """Returns the scores as CSV text, one row per score."""
    columns = ("arm", "seed", "suite", "benchmark", "domain", "score", "questions", "harness")
    return csv_text(columns, ([getattr(row, column) for column in columns] for row in material.scores))
