"""`analyze`: verdicts from a table of scores that exists; no study, no run, no LLM."""

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli import options, output
from policies.errors import InputError, RefusedError

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_S = 2.0
"""Nothing is said of progress before."""


def analyze(
    scores: Annotated[
        list[Path], typer.Argument(metavar="SCORES...", help="CSV, TSV, Parquet, JSONL; folders of lm-eval results.")
    ],
    treatment: Annotated[
        list[str] | None, typer.Option("--treatment", metavar="ARM", help="Arm to test; repeatable, or a comma list.")
    ] = None,
    control: Annotated[str | None, typer.Option("--control", metavar="ARM", help="Arm to compare with.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="COLUMN", help="Compare what holds across it, such as model.")
    ] = None,
    summaries: Annotated[
        Path | None, typer.Option("--summaries", metavar="FILE", help="Your own benchmark summaries, YAML.")
    ] = None,
    summary: options.Primary = None,
    sesoi: options.Sesoi = None,
    confidence: options.Confidence = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="ROLE=NAME", help="Which column is which, such as arm=method; repeatable."),
    ] = None,
    unit: Annotated[str, typer.Option("--unit", metavar="UNIT", help="Of the scores: percent or fraction.")] = "",
    decimal: Annotated[str, typer.Option("--decimal", metavar="MARK", help="Of numbers: point or comma.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write verdict.json, report.md, figures, tables.")
    ] = None,
    as_json: output.JsonFlag = False,
) -> int:
    """Verdicts on a table of scores: every treatment against its control, under every benchmark summary."""
    from advisor.api import CONFIDENCE
    from advisor.api import analyze as judged

    with _Steps() as steps:
        analysis = judged(
            scores, _words(treatment), control, by=by, summaries=summaries, summary=summary, sesoi=sesoi,
            confidence=CONFIDENCE if confidence is None else confidence, columns=_columns(column or ()), unit=unit,
            decimal=decimal, out=out, progress=steps.show,
        ).analysis  # fmt: skip
    if as_json:
        from tools.report.scores.verdict_json import scores_document

        output.emit(scores_document(analysis))
    else:
        from advisor.views.analyze import show_analysis

        show_analysis(output.data(), output.talk(), analysis, out)
    return RefusedError.exit_code if analysis.all_invalid else 0


def _words(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(word for one in given or () for part in one.split(",") if (word := part.strip()))


def _columns(given: Sequence[str]) -> dict[str, str]:
    """`arm=method` as {arm: method}; several columns of one role as a comma list."""
    chosen: dict[str, str] = {}
    for one in given:
        role, mark, name = one.partition("=")
        role, name = role.strip(), name.strip()
        if not (mark and role and name):
            raise InputError(f"--column {one!r} cannot be read; write ROLE=NAME, for example arm=method")
        chosen[role] = f"{chosen[role]},{name}" if role in chosen else name
    return chosen


class _Steps:
    """Shows what is being done, on stderr, once it takes longer than a person waits gladly."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> "_Steps":
        return self

    def show(self, what: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._began < PATIENCE_S:
                return
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
            self._bar = Progress(*columns, console=output.talk(), transient=True)
            self._bar.add_task(what, total=total)
            self._bar.start()
        (task,) = self._bar.task_ids
        self._bar.update(task, description=what, completed=done, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
