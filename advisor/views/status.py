"""How a study looks while it runs: a table that redraws in place at a terminal, plain lines in a pipe."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from advisor.views.plan import duration
from tools.report.claims.study import TOY_NOTICE
from tools.report.conclusion import verdict_markdown
from tools.report.study.verdict_json import StudyVerdict
from tools.study.blinded import BlindView
from tools.study.folder import Study
from tools.study.follow import watch
from tools.study.status import RunStatus, StudyStatus
from tools.text.markdown import page, text

_STYLES = {"done": "green", "running": "bold", "failed": "bold red", "interrupted": "yellow", "planned": "dim"}


def render(status: StudyStatus) -> Group:
    """Returns the study's state, the table of runs, and the next command on a line that can be copied."""
    headed = _headed(status, status.reason)
    last = [Text(status.way_on)] if status.next else []
    return Group(headed, _table(status.runs), *(Text(line) for line in _delivery(status)), *last)


def study_view(status: StudyStatus, found: StudyVerdict | None) -> Group:
    """The same with the answer, once there is one."""
    return Group(render(status), *(Text(line, style="bold") for line in _answer(found)))


def study_lines(status: StudyStatus, found: StudyVerdict | None) -> list[str]:
    """The headline, and the answer once there is one."""
    return [headline(status), *_answer(found)]


def study_markdown(status: StudyStatus, found: StudyVerdict | None) -> str:
    """The same as Markdown, with every summary."""
    compared = found.verdict.comparisons if found else ()
    parts = [text(headline(status)), *(f"**{text(line)}**" for line in _answer(found))]
    return page([*parts, *(part for one in compared for part in verdict_markdown(one))])


def _answer(found: StudyVerdict | None) -> list[str]:
    if found is None:
        return []
    return [found.title, TOY_NOTICE] if found.toy else [found.title]


def _headed(status: StudyStatus, last: str) -> Group:
    """The headline, and what may be known of the pairs so far."""
    return Group(Text(_headline(status, last), style="bold"), *(Text(line) for line in _pairs(status.blind)))


def _pairs(blind: BlindView) -> Iterator[str]:
    """How many pairs, how they vary, what the last look decided; no arm, sign or score."""
    spread = "" if blind.pooled_sd is None else f", pooled SD {blind.pooled_sd:.2f} points on {blind.summary}"
    yield f"{blind.design}; {blind.pairs} complete pair{'' if blind.pairs == 1 else 's'}{spread}"
    if blind.last_look:
        yield f"last of {blind.looks} look{'' if blind.looks == 1 else 's'}: {blind.last_look}"
    if blind.unblinded:
        yield f"unblinded {blind.unblinded}"
    if blind.exploratory:
        yield f"exploratory: {blind.exploratory}"


def _delivery(status: StudyStatus) -> Iterator[str]:
    """One line a treatment: whether it happened, over the pairs that are done."""
    for one in status.delivery:
        words = one.status.replace("_", " ")
        dose = "" if one.dose is None else f", dose {one.dose:.3f}"
        least = "" if one.minimum_dose is None or not dose else f" (minimum {one.minimum_dose:g})"
        control = "" if not one.control_dose else f", control's own dose {one.control_dose:.3f}"
        pairs = f"{one.pairs} pair{'' if one.pairs == 1 else 's'}"
        reasons = "".join(f"; {reason}" for reason in one.reasons)
        yield f"delivery of {one.arm}: {words}{dose}{least}{control}, {pairs}{reasons}"


@dataclass(frozen=True)
class LiveView:
    """The same while it moves, with no more runs than fit the terminal: those at work are always among them."""

    status: StudyStatus

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Headline, as many runs as there is room for, how many more there are, and how to leave."""
        headed = _headed(self.status, self.status.standing)
        runs = self.status.runs
        room = console.height - len(console.render_lines(headed, options)) - 2  # the table's header and the last line
        first, last = 0, len(runs)
        if last > room:
            at_work = next((place for place, run in enumerate(runs) if run.state != "done"), last)
            room = max(1, room - 1)  # the line that counts the others
            first = max(0, min(at_work - 1, last - room))
            last = first + room
        yield headed
        yield _table(runs[first:last])
        if last - first < len(runs):
            yield Text(f"... {first} runs above, {len(runs) - last} below", style="dim")
        yield Text("Ctrl-C detaches; the study keeps running", style="dim")


def _table(runs: Sequence[RunStatus]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("arm", "seed", "state"):
        table.add_column(name)
    for name in ("step", "training reward", "ETA", "hours"):
        table.add_column(name, justify="right")
    for run in runs:
        reward = "-" if run.reward is None else f"{run.reward:.3f}"
        eta = duration(run.eta_s) if run.state == "running" else "-"
        hours = f"{run.device_hours:.2f}" if run.attempts else "-"
        state = Text(run.state, style=_STYLES.get(run.state, ""))
        table.add_row(run.arm, str(run.seed), state, f"{run.step}/{run.steps}", reward, eta, hours)
    return table


def headline(status: StudyStatus) -> str:
    """Returns one line: the state of the study, what it has spent, and what to do next."""
    return _headline(status, status.standing)


def _headline(status: StudyStatus, last: str) -> str:
    ceiling = "" if status.ceiling_device_hours is None else f" of {status.ceiling_device_hours:.3g}"
    parts = [
        f"{status.id}: {status.state}{f' ({status.phase})' if status.phase else ''}",
        f"{status.seeds_scored}/{status.seeds} seeds scored",
        f"spent {status.spent_device_hours:.2f}{ceiling} {status.device_hours_unit}",
    ]
    if status.eta_s is not None:
        parts.append(f"ETA {duration(status.eta_s)}")
    return "; ".join([*parts, last] if last else parts)


def follow(study: Study, console: Console, poll_s: float = 1.0) -> StudyStatus:
    """Shows progress until the study stops; returns its last status. KeyboardInterrupt passes through."""
    if console.is_terminal:
        return _live(watch(study, poll_s), console)
    return _plain(watch(study, poll_s))


def _live(statuses: Iterator[StudyStatus], console: Console) -> StudyStatus:
    status = next(statuses)
    with Live(LiveView(status), console=console, auto_refresh=False, transient=False) as live:
        try:
            for status in statuses:
                live.update(LiveView(status), refresh=True)
        finally:
            live.update(render(status))
    return status


def _plain(statuses: Iterator[StudyStatus]) -> StudyStatus:
    """A line when a run changes state or passes a quarter, and when the study changes."""
    seen: dict[tuple[str, int], tuple[str, int]] = {}
    last = ""
    for status in statuses:
        for run in status.runs:
            mark = (run.state, 4 * run.step // run.steps)
            if seen.setdefault((run.arm, run.seed), ("planned", 0)) != mark:
                seen[run.arm, run.seed] = mark
                sys.stderr.write(f"{_line(run)}\n")
        state = f"{status.state} {status.phase} {status.seeds_scored}"
        if state != last:
            last = state
            sys.stderr.write(f"{headline(status)}\n")
        sys.stderr.flush()
    return status


def _line(run: RunStatus) -> str:
    reward = "" if run.reward is None else f", reward {run.reward:.3f}"
    eta = f", ETA {duration(run.eta_s)}" if run.state == "running" and run.eta_s is not None else ""
    reason = f": {run.reason}" if run.reason else ""
    return f"{run.arm} seed {run.seed}: {run.state}, step {run.step}/{run.steps}{reward}{eta}{reason}"
