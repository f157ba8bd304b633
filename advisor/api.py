"""The advisor in Python: verdicts on scores, the power of a design, and studies, for a notebook or a script.

    from advisor.api import Study, analyze, power
    analyze("runs.csv", treatment="tscl", control="static", sesoi=1.0)

What cannot be used raises an AdvisorError of one line: what, the value, what to do.
"""

from advisor.installation import installation_fault

if fault := installation_fault():
    raise ImportError(fault)

import errno
import functools
import inspect
import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from policies.errors import AdvisorError, BudgetError, InputError, RefusedError
from tools import catalogue
from training.support.paths import expanded

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from tools.design_power import DesignPower
    from tools.plan.study_plan import StudyPlan
    from tools.report.claims.facts import Facts
    from tools.report.files import Rows
    from tools.report.study.verdict_json import StudyVerdict
    from tools.statistics.table.analysis import ScoreAnalysis
    from tools.study.status import StudyStatus

    Scores = str | Path | DataFrame | Sequence[str | Path | DataFrame]
    Numbers = int | Iterable[int] | None
else:
    Scores = Numbers = Any

__all__ = ("AdvisorError", "BudgetError", "InputError", "Power", "RefusedError", "Result", "Study", "analyze", "power")

CONFIDENCE = 0.95
WIDTH = 100
"""Columns of a plain `repr`."""

P = ParamSpec("P")
T = TypeVar("T")


def explained(error: OSError) -> str:
    """A failure of the file system in one line: what, and what to do."""
    if error.errno == errno.ENOSPC:
        return f"cannot write {error.filename or 'everything'}: {error.strerror}; free some space, then try again"
    what = "cannot use the current folder" if error.errno == errno.ENOENT else "not possible"
    what = f"cannot use {error.filename}" if error.filename else what
    return f"{what}: {error.strerror or error}; fix that, then try again"


def _checked(function: Callable[P, T]) -> Callable[P, T]:
    """Arguments of another type than annotated, and paths that cannot be used, become AdvisorErrors of one line."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        from pydantic import ValidationError, validate_call

        from policies.model import describe_faults, shortened

        given = signature.bind(*args, **kwargs).arguments
        check: Callable[..., T] = validate_call(function)
        try:
            return check(**given)
        except OSError as error:
            raise AdvisorError(explained(error)) from error
        except ValidationError as error:
            if error.title != function.__qualname__:
                raise InputError(f"cannot use these settings: {describe_faults(error)}") from None
            name = str(error.errors()[0]["loc"][0])
            kind = inspect.formatannotation(signature.parameters[name].annotation)
            kind = kind.replace("collections.abc.", "").replace("pathlib.", "")
            raise InputError(f"{name}={shortened(given[name])} cannot be used: give {kind}") from None

    return call


class _Shown(ABC):
    """Shows itself: to rich, to notebooks as Markdown, to all else as plain text."""

    @abstractmethod
    def _view(self) -> "RenderableType": ...

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        """The view without markup: names from tables, such as `[red]x[/red]`, stay as they are."""
        yield from console.render(self._view(), options.update(markup=False, highlight=False))

    def __repr__(self) -> str:
        from rich.console import Console

        console = Console(file=StringIO(), width=WIDTH, color_system=None, force_jupyter=False)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().rstrip().split("\n"))


@_checked
def analyze(
    data: Scores,
    treatment: str | Sequence[str] | None = None,
    control: str | None = None,
    *,
    by: str | None = None,
    summaries: str | Path | None = None,
    summary: str | None = None,
    sesoi: float | None = None,
    confidence: float = CONFIDENCE,
    columns: Mapping[str, str] | None = None,
    unit: str = "",
    decimal: str = "",
    out: str | Path | None = None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> "Result":
    """Judges scores that exist: every treatment against its control, under every benchmark summary.

    data: a path (CSV, TSV, Parquet, JSONL, a folder of lm-eval results or Inspect logs), a DataFrame, or a list of
    them, read as one table; a DataFrame as the CSV that it would be written as, index levels with names included.
    treatment, control: arms (default: all pairs that the table names); by: column across whose values a treatment is
    followed; summaries: YAML file of your own; summary: the primary one; sesoi: smallest effect of interest, score
    points (default 1.0); confidence: share; columns: role -> column, such as {"arm": "method"}; unit: `percent` or
    `fraction`; decimal: `point` or `comma`; out: folder for the report; progress: called with what is done, how many,
    of how many. Raises InputError for what cannot be read or does not fit. Scores that are unfit for a verdict raise
    nothing: their verdict is `invalid_data`.
    """
    sources = _sources(data)
    treatments = [treatment] if isinstance(treatment, str) else treatment or ()
    settings = {"control": control, "by": by, "sesoi": sesoi, "unit": unit, "decimal": decimal}
    folder = None if out is None else expanded(out)
    file = None if summaries is None else expanded(summaries)
    command = _command(
        sources, treatment=treatments, **settings, summary=summary, summaries=file, out=folder,
        confidence=None if confidence == CONFIDENCE else confidence,
        column=[f"{role}={name}" for role, name in (columns or {}).items()],
    )  # fmt: skip
    analysis = catalogue.analyze_scores(
        sources, treatments=treatments, control=control, by=by, sesoi=sesoi, unit=unit, decimal=decimal,
        summaries=file, primary=summary, confidence=confidence, columns=columns, out=folder, command=command,
        progress=progress,
    )  # fmt: skip
    return Result(analysis)


def _sources(data: Any) -> "list[Path | DataFrame]":
    """Paths with `~` filled in, and frames. InputError for anything else."""
    return [_source(one) for one in (data if isinstance(data, list | tuple) else [data])]


def _source(one: Any) -> "Path | DataFrame":
    if isinstance(one, str | Path) and str(one):
        return expanded(one)
    from pandas import DataFrame

    from policies.model import shortened

    if not isinstance(one, DataFrame):
        raise InputError(f"{shortened(one)} is no table of scores: give a path, a DataFrame or a list of them")
    return one


def _command(sources: "Sequence[Path | DataFrame]", **options: Any) -> str:
    """The command line that repeats the analysis, as a shell takes it; frames are named as files to write first."""
    names = {place: f"frame-{place}.csv" for place, one in enumerate(sources, 1) if not isinstance(one, Path)}
    words = ["advisor", "analyze", *(names.get(place, str(one)) for place, one in enumerate(sources, 1))]
    for name, value in options.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [f"--{name}", str(one)] if one not in (None, "") else []
    notes = (f"# {name}: the DataFrame, as its to_csv writes it" for name in names.values())
    return "\n".join([*notes, shlex.join(words)])


def _frame(rows: "Rows") -> "DataFrame":
    from pandas import DataFrame

    return DataFrame(list(rows.rows), columns=list(rows.columns))


def _forest(comparisons: "Sequence[Facts]") -> "Figure":
    from tools.report.figures import forest_figure

    figure = forest_figure(comparisons)
    if figure is None:
        raise RefusedError("no comparison has valid data: there is nothing to draw; print the verdict for the faults")
    return figure


class Result(_Shown):
    """Verdicts on scores; shows itself as a table and sentences, with how the scores were read."""

    def __init__(self, analysis: "ScoreAnalysis") -> None:
        self.analysis = analysis
        """Everything behind it: cells, comparisons, sensitivity views, notes."""

    def table(self) -> "DataFrame":
        """Gives one row a comparison and summary, worst summary first, numbers in score points, NaN where unknown.

        Columns: those that separate cells, treatment, control, k, overall_verdict, direction, primary, summary, n,
        mean (treatment - control), sd, low and high (unadjusted), low_family and high_family (what `verdict` reads;
        the same for k = 1), p, p_holm, low_tost, high_tost, sesoi, verdict, negligible.
        """
        from tools.report.scores.tables import summaries

        return _frame(summaries(self.analysis))

    def forest(self, **group: object) -> "Figure":
        """Draws the intervals of one cell's comparisons; group: which cell, such as `model="Qwen2.5-0.5B"`.

        InputError where no cell, or more than one, fits; RefusedError where no comparison has valid data.
        """
        from tools.report.scores.build import panels
        from tools.report.scores.titles import cell_title

        cells = self.analysis.cells
        fit = [cell for cell in cells if all(str(cell.group.get(name)) == str(group[name]) for name in group)]
        if len(fit) != 1:
            first = ", ".join(f"{name}={value!r}" for name, value in cells[0].group.items())
            named = "; ".join(map(cell_title, cells[:12]))
            asked = ", ".join(f"{name}={value!r}" for name, value in group.items()) or "no choice"
            raise InputError(f"{len(fit)} of {len(cells)} cells fit {asked}: choose one of {named}, as forest({first})")
        return _forest(panels(fit[0]))

    def _view(self) -> "RenderableType":
        from advisor.views.analyze import analysis_view

        return analysis_view(self.analysis)

    def _repr_markdown_(self) -> str:
        from advisor.views.analyze import analysis_markdown

        return analysis_markdown(self.analysis)


@_checked
def power(
    *,
    model: str | None = None,
    recipe: str | Path | None = None,
    sesoi: float | None = None,
    confidence: float | None = None,
    seeds: Numbers = None,
    treatments: int = 1,
    budget: float | str | None = None,
    sd: float | Mapping[str, float] | None = None,
    sd_df: int | None = None,
    pilot: str | Path | None = None,
    hours_per_run: float | None = None,
    summary: str | None = None,
    steps: int | None = None,
) -> "Power":
    """Says what a number of seed pairs can show, and what an effect takes; nothing runs.

    model, recipe: whose spread is assumed; sesoi: score points; seeds: numbers of pairs, the first answered in full;
    treatments: against one control; budget: device-hours, 40 or "40h"; sd: of a paired difference in score points, one
    for all summaries or summary -> SD; sd_df: its degrees of freedom; pilot: scores or a study to take the spread from;
    hours_per_run: device-hours, scoring included. Raises InputError where no spread is known and for values out of
    range, BudgetError where the budget pays for no pair of runs.
    """
    from tools.design.budget import parse_budget
    from tools.design_power import EVERY_SUMMARY, PowerQuestion

    given = {
        "model": model, "recipe": recipe and str(recipe), "sesoi": sesoi, "confidence": confidence,
        "seeds": tuple(seeds) if isinstance(seeds, Iterable) else seeds if seeds is None else (seeds,),
        "treatments": treatments, "budget": parse_budget(budget) if isinstance(budget, str) else budget,
        "sd": {EVERY_SUMMARY: sd} if isinstance(sd, float) else sd, "sd_df": sd_df,
        "pilot": pilot and str(pilot), "hours_per_run": hours_per_run, "primary": summary, "steps": steps,
    }  # fmt: skip
    question = PowerQuestion.model_validate({name: value for name, value in given.items() if value is not None})
    return Power(catalogue.design_power(question))


class Power(_Shown):
    """What a design can show before anything runs."""

    def __init__(self, answer: "DesignPower") -> None:
        self.answer = answer
        """Everything behind it: the statement of power, the curve, the price, notes."""

    def curve(self) -> "DataFrame":
        """Gives one row a number of pairs: n, runs, hours (device-hours, where the price is known), then effects in
        score points and probabilities: half_width, detectable_effect, detectable_supported(_upper), power_primary,
        probability_supported(_upper), probability_equivalent; None where there is no interval.
        """
        from pandas import DataFrame

        frame = DataFrame([point.model_dump() for point in self.answer.curve])
        frame.insert(1, "runs", frame["n"] * (self.answer.power.k + 1))
        if self.answer.price is not None:
            frame.insert(2, "hours", frame["runs"] * self.answer.price.device_hours_per_run)
        return frame

    def _view(self) -> "RenderableType":
        from advisor.views.power import power_view

        return power_view(self.answer)

    def __repr__(self) -> str:
        from advisor.views.power import power_lines

        return "\n".join(power_lines(self.answer))

    def _repr_markdown_(self) -> str:
        from advisor.views.power import power_markdown

        return power_markdown(self.answer)


class Study(_Shown):
    """A study by its id, a part that no other id has, its folder, or `latest`. InputError where none fits."""

    @_checked
    def __init__(self, ref: str | Path = "latest", root: str | Path | None = None) -> None:
        from tools.study.folder import find_study

        self._study = find_study(ref, None if root is None else Path(root))

    @property
    def plan(self) -> "StudyPlan":
        """The plan as approved. RefusedError where the stored plan was changed behind the ledger's back."""
        return self._study.plan

    def status(self) -> "StudyStatus":
        """Tells how it stands; no score."""
        return catalogue.study_status(self._study)

    def verdict(self) -> "StudyVerdict":
        """Reads title, verdict, claims and numbers of the report. RefusedError before the study is done."""
        return catalogue.read_verdict(self._study)

    def report(self) -> Path:
        """Builds the report again and gives its Markdown file. RefusedError before the study is done."""
        return catalogue.write_report(self._study)

    def table(self) -> "DataFrame":
        """Gives one row a treatment and summary, as `Result.table` does, with both levels of confidence.

        RefusedError before the study is done, and where it compares nothing.
        """
        from tools.report.study.tables_csv import summaries

        return _frame(summaries(catalogue.compare_arms(self._study)))

    def forest(self) -> "Figure":
        """Draws the intervals of every summary. RefusedError as for `table`, and where no data are valid."""
        from tools.report.claims.facts import facts

        return _forest([facts(one) for one in catalogue.compare_arms(self._study).comparisons])

    def _found(self) -> "StudyVerdict | None":
        return self.verdict() if self.status().state == "done" else None

    def _view(self) -> "RenderableType":
        from advisor.views.status import study_view

        return study_view(self.status(), self._found())

    def __repr__(self) -> str:
        from advisor.views.status import study_lines

        try:
            return "\n".join(study_lines(self.status(), self._found()))
        except AdvisorError as error:
            return f"{self._study.folder.name}: {error}"

    def _repr_markdown_(self) -> str:
        from advisor.views.status import study_markdown

        return study_markdown(self.status(), self._found())
