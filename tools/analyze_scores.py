"""Tool: anybody's table of scores to verdicts, and to a report folder where one is asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from policies.errors import InputError
from tools.plan.analysis import range_faults
from tools.report.scores.build import build_scores_report, demand_own_folder
from tools.scores.families import find_families
from tools.scores.readers.read import read_scores
from tools.scores.summary_file import SummaryFile, read_summary_file
from tools.statistics.table.analysis import Progress, ScoreAnalysis, Settings, judge_book

if TYPE_CHECKING:
    from pandas import DataFrame


def analyze_scores(
    sources: "Sequence[Path | DataFrame]",
    *,
    treatments: Sequence[str] = (),
    control: str | None = None,
    by: str | None = None,
    summaries: Path | None = None,
    primary: str | None = None,
    sesoi: float | None = None,
    confidence: float = 0.95,
    columns: Mapping[str, str] | None = None,
    unit: str = "",
    decimal: str = "",
    out: Path | None = None,
    command: str = "",
    progress: Progress = lambda what, done, total: None,
) -> ScoreAnalysis:
    """Reads, pairs and judges; needs no study, no run, no model.

    sources: files, folders of evaluation logs, pandas frames; treatments, control: which arms to compare (default: all
    pairs that the table itself names); by: the column across whose values a treatment is followed; summaries: a YAML
    file of the person's own; sesoi: smallest effect of interest in score points; columns, unit, decimal: what the table
    does not show by itself; out: folder for the report; command: what the report says repeats it. Raises InputError for
    whatever cannot be read or does not fit; scores that are unfit for a verdict raise nothing: their verdict is
    `invalid_data`.
    """
    faults = range_faults(confidence, sesoi)
    if faults:
        raise InputError("; ".join(faults))
    file = SummaryFile() if summaries is None else read_summary_file(summaries)
    if out is not None:
        demand_own_folder(out)
    book = read_scores(sources, columns=columns, unit=unit, decimal=decimal)
    pairing = find_families(book.cells, treatments, control)
    analysis = judge_book(book, pairing, Settings(confidence, sesoi, primary, file, by), progress, command)
    if out is not None:
        build_scores_report(analysis, out, progress)
    return analysis
