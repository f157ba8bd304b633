"""Builds a report folder from stored material: the same material gives the same bytes, with no GPU, LLM or network."""

import json
import re
from pathlib import Path

from tools.report.facts import facts
from tools.report.figures import curves, forest
from tools.report.files import write_atomically
from tools.report.material import ReportMaterial
from tools.report.numbers_file import verdict_file
from tools.report.tables_csv import csv_tables
from tools.report.views import report_view


def build_report(material: ReportMaterial, folder: Path) -> Path:
    """Writes `report.md`, `verdict.json`, `figures/*.svg` and `tables/*.csv` under `folder`; gives `report.md`'s path.

    Each file is written under a temporary name and renamed, `report.md` last; a figure that has nothing to show is
    removed. Raises OSError where the folder cannot be written.
    """
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    arms = [material.plan.control.id, *(arm.id for arm in material.plan.treatments)]
    shown = [facts(one) for one in material.verdict.comparisons if one.verdict != "invalid_data"]
    drawn = {
        "forest": write_atomically(folder / "figures" / "forest.svg", lambda path: forest(shown, path)),
        "curves": write_atomically(folder / "figures" / "curves.svg", lambda path: curves(material.curves, arms, path)),
    }
    for name, content in csv_tables(material).items():
        _write_text(folder / "tables" / f"{name}.csv", content)
    _write_text(
        folder / "verdict.json",
        json.dumps(verdict_file(material), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    )
    report = folder / "report.md"
    _write_text(report, render(material, drawn))
    return report


def render(material: ReportMaterial, figures: dict[str, bool]) -> str:
    """The report as Markdown; `figures` says which of `forest` and `curves` exist beside it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Markdown, and every text from outside is escaped in `views`
        loader=PackageLoader("tools.report"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=False,
    )
    page = environment.get_template("report.md.j2").render(report_view(material, figures))
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _write_text(path: Path, content: str) -> None:
    def write(temporary: Path) -> bool:
        temporary.write_text(content, encoding="utf-8", newline="\n")
        return True

    write_atomically(path, write)
