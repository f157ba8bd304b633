"""Writes a report folder: the same content gives the same bytes, and each file is written atomically."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from training.run_files import write_atomically


def rendered(template: str, view: Mapping[str, Any]) -> str:
    """Returns a page of Markdown rendered from a template of this package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Markdown, and every text from outside is escaped in the views
        loader=PackageLoader("tools.report"), undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=False
    )
    return re.sub(r"\n{3,}", "\n\n", environment.get_template(template).render(view)).strip() + "\n"


def write_report_files(
    folder: Path, page: str, numbers: Mapping[str, Any], figures: Mapping[str, str], tables: Mapping[str, str]
) -> Path:
    """Writes `figures/*.svg`, `tables/*.csv`, `verdict.json` and, last, `report.md`, whose path it returns.

    A figure without content is removed. Raises OSError where the folder cannot be written.
    """
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, svg in figures.items():
        path = folder / "figures" / f"{name}.svg"
        if svg:
            write_atomically(path, svg)
        else:
            path.unlink(missing_ok=True)
    for name, content in tables.items():
        write_atomically(folder / "tables" / f"{name}.csv", content)
    document = json.dumps(numbers, indent=2, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / "verdict.json", f"{document}\n")
    report = folder / "report.md"
    write_atomically(report, page)
    return report


class Rows(NamedTuple):
    """A table of numbers as they are stored, unrounded; None where there is no value."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns CSV text with a header; booleans as `true` and `false`, None as an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
