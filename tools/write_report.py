"""Tool: the report of a finished study, built again from what is stored."""

from pathlib import Path

from tools.study.manage import report
from tools.study.study import Study


def write_report(study: Study) -> Path:
    """Writes `report/` and returns its Markdown file. RefusedError before every planned seed is in."""
    return report(study)
