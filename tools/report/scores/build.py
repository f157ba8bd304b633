"""Builds the report folder of a score table: the same scores and settings give the same bytes."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from policies.errors import InputError
from tools.report.claims.facts import Facts, facts
from tools.report.figures import forest
from tools.report.scores.tables import scores_csv
from tools.report.scores.titles import scores_title, worst_first
from tools.report.scores.verdict_json import scores_document
from tools.report.scores.views import scores_view
from tools.statistics.table.analysis import JudgedCell, Progress, ScoreAnalysis
from training.run_files import write_atomically

MOST_FIGURES = 12
"""Most cells with a figure."""
MOST_PANELS = 12
"""Most comparisons in one figure, worst first."""
OURS = "score_table"


def demand_own_folder(folder: Path) -> None:
    """Raises InputError where writing a report to `folder` could overwrite anything but such a report."""
    if folder.is_dir():
        if any(folder.iterdir()) and not _is_ours(folder):
            raise InputError(f"--out {folder} contains other files: choose an empty or new folder")
    elif folder.exists() or folder.is_symlink():
        raise InputError(f"--out {folder} is not a folder: choose an empty or new one")


def _is_ours(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / "verdict.json").read_bytes()).get("kind") == OURS)
    except (OSError, ValueError, AttributeError):
        return False


def build_scores_report(
    analysis: ScoreAnalysis, folder: Path, progress: Progress = lambda what, done, total: None
) -> Path:
    """Writes `report.md`, `verdict.json`, `figures/*.svg` and `tables/*.csv`; returns the path of `report.md`.

    Files are written atomically, `report.md` last; figures of an earlier report are removed. Raises InputError for a
    folder with other content, OSError where it cannot be written.
    """
    demand_own_folder(folder)
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    document = json.dumps(report_document(analysis), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / "verdict.json", f"{document}\n")
    for name, content in scores_csv(analysis).items():
        write_atomically(folder / "tables" / f"{name}.csv", content)
    figures = {}
    for old in (folder / "figures").glob("forest*.svg"):
        old.unlink()
    drawn = analysis.cells[:MOST_FIGURES]
    for at, cell in enumerate(drawn):
        progress("figures drawn", at, len(drawn))
        svg = forest(panels(cell))
        if svg:
            figures[at] = "forest.svg" if len(analysis.cells) == 1 else f"forest-{at + 1}.svg"
            write_atomically(folder / "figures" / figures[at], svg)
    report = folder / "report.md"
    write_atomically(report, render_scores(analysis, figures, progress))
    return report


def report_document(analysis: ScoreAnalysis) -> dict[str, object]:
    """Returns the content of `verdict.json`: the document of `--json` with the report's title."""
    document = scores_document(analysis)
    return {"schema_version": document["schema_version"], "kind": OURS, "title": scores_title(analysis)} | document


def render_scores(
    analysis: ScoreAnalysis, figures: Mapping[int, str], progress: Progress = lambda what, done, total: None
) -> str:
    """Returns the report as Markdown; figures: place of a cell -> its file's name under `figures/`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Markdown, and every text from outside is escaped in the views
        loader=PackageLoader("tools.report"), undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=False
    )
    page = environment.get_template("scores.md.j2").render(scores_view(analysis, figures, progress))
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def panels(cell: JudgedCell) -> list[Facts]:
    """The comparisons of a cell that its figure shows, worst first."""
    shown = [one.comparison for one in worst_first(cell.judged) if one.comparison.verdict != "invalid_data"]
    return [facts(one) for one in shown[:MOST_PANELS]]
