"""Builds a report folder from stored material: the same material gives the same bytes, without GPU, LLM or network."""

from pathlib import Path

from tools.evaluation.material import ReportMaterial
from tools.report.claims.facts import facts
from tools.report.figures import curves, forest
from tools.report.files import rendered, write_report_files
from tools.report.study.sensitivity import StudySensitivity
from tools.report.study.tables_csv import csv_tables
from tools.report.study.verdict_json import study_verdict
from tools.report.study.views import report_view


def build_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, `figures/*.svg` and `tables/*.csv`; returns the path of `report.md`.

    Files are written atomically, `report.md` last; a figure with nothing to show is removed. Raises OSError where the
    folder cannot be written.
    """
    sensitivity = StudySensitivity(material)
    arms = [material.plan.control.id, *(arm.id for arm in material.plan.treatments)]
    shown = [facts(one) for one in material.verdict.comparisons if one.verdict != "invalid_data"]
    figures = {"forest": forest(shown), "curves": curves(material.curves, arms)}
    page = render(material, {name: bool(svg) for name, svg in figures.items()}, sensitivity)
    return write_report_files(
        folder, page, study_verdict(material, sensitivity).stored(), figures, csv_tables(material)
    )


def render(material: ReportMaterial, figures: dict[str, bool], sensitivity: StudySensitivity) -> str:
    """Returns the report as Markdown; `figures` states which of `forest` and `curves` exist."""
    return rendered("report.md.j2", report_view(material, figures, sensitivity))
