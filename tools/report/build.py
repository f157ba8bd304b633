"""Builds a report folder from stored material: the same material gives the same bytes, with no GPU, LLM or network."""

import json
import re
from pathlib import Path

from tools.report.facts import facts
from tools.report.figures import curves, forest
from tools.report.material import ReportMaterial
from tools.report.numbers_file import verdict_file
from tools.report.study_sensitivity import StudySensitivity
from tools.report.tables_csv import csv_tables
from tools.report.views import report_view
from training.run_files import write_atomically


def build_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, `figures/*.svg` and `tables/*.csv` under `folder`; gives `report.md`'s path.

    Each file is whole or not there, `report.md` is written last; a figure that has nothing to show is removed. Raises
    OSError where the folder cannot be written.
    """
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    sensitivity = StudySensitivity(material)
    arms = [material.plan.control.id, *(arm.id for arm in material.plan.treatments)]
    shown = [facts(one) for one in material.verdict.comparisons if one.verdict != "invalid_data"]
    figures = {"forest": forest(shown), "curves": curves(material.curves, arms)}
    for name, svg in figures.items():
        path = folder / "figures" / f"{name}.svg"
        if svg:
            write_atomically(path, svg)
        else:
            path.unlink(missing_ok=True)
    for name, content in csv_tables(material).items():
        write_atomically(folder / "tables" / f"{name}.csv", content)
    numbers = json.dumps(verdict_file(material, sensitivity), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / "verdict.json", f"{numbers}\n")
    report = folder / "report.md"
    write_atomically(report, render(material, {name: bool(svg) for name, svg in figures.items()}, sensitivity))
    return report


def render(material: ReportMaterial, figures: dict[str, bool], sensitivity: StudySensitivity) -> str:
    """The report as Markdown; `figures` says which of `forest` and `curves` exist beside it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Markdown, and every text from outside is escaped in `views`
        loader=PackageLoader("tools.report"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=False,
    )
    page = environment.get_template("report.md.j2").render(report_view(material, figures, sensitivity))
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"
