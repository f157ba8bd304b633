"""Builds a report folder from stored material: the same material gives the same bytes, with no GPU, LLM or network."""

from pathlib import Path

from tools.report.facts import facts
from tools.report.figures import curves, forest
from tools.report.material import ReportMaterial
from tools.report.numbers_file import verdict_file
from tools.report.report_files import rendered, write_report_files
from tools.report.study_sensitivity import StudySensitivity
from tools.report.tables_csv import csv_tables
from tools.report.views import report_view


def build_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, `figures/*.svg` and `tables/*.csv` under `folder`; gives `report.md`'s path.

    Each file is whole or not there, `report.md` is written last; a figure that has nothing to show is removed. Raises
    OSError where the folder cannot be written.
    """
    sensitivity = StudySensitivity(material)
    arms = [material.plan.control.id, *(arm.id for arm in material.plan.treatments)]
    shown = [facts(one) for one in material.verdict.comparisons if one.verdict != "invalid_data"]
    figures = {"forest": forest(shown), "curves": curves(material.curves, arms)}
    page = render(material, {name: bool(svg) for name, svg in figures.items()}, sensitivity)
    return write_report_files(folder, page, verdict_file(material, sensitivity), figures, csv_tables(material))


def render(material: ReportMaterial, figures: dict[str, bool], sensitivity: StudySensitivity) -> str:
    """The report as Markdown; `figures` says which of `forest` and `curves` exist beside it."""
    return rendered("report.md.j2", report_view(material, figures, sensitivity))
