"""How a study looks while it runs: a table that redraws in place at a terminal, plain lines in a pipe."""

import sys
from collections.abc import Iterator

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from advisor.cli.plan_view import duration
from tools.study.follow import watch
from tools.study.status import RunStatus, StudyStatus
from tools.study.study import Study

_STYLES = {"done": "green", "running": "bold", "failed": "bold red", "interrupted": "yellow", "planned": "dim"}


def render(status: StudyStatus) -> Group:
    """The table of runs with a line above it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("arm", "seed", "state"):
        table.add_column(name)
    for name in ("step", "reward", "ETA", "hours"):
        table.add_column(name, justify="right")
    for run in status.runs:
        reward = "-" if run.reward is None else f"{run.reward:.3f}"
        eta = duration(run.eta_s) if run.state == "running" else "-"
        hours = f"{run.device_hours:.2f}" if run.attempts else "-"
        state = Text(run.state, style=_STYLES.get(run.state, ""))
        table.add_row(run.arm, str(run.seed), state, f"{run.step}/{run.steps}", reward, eta, hours)
    return Group(Text(headline(status), style="bold"), table)


def headline(status: StudyStatus) -> str:
    """One line: where the study stands and what it has spent."""
    ceiling = "" if status.ceiling_device_hours is None else f" of {status.ceiling_device_hours:.3g}"
    parts = [
        f"{status.id}: {status.state}{f' ({status.phase})' if status.phase else ''}",
        f"{status.seeds_scored}/{status.seeds} seeds scored",
        f"spent {status.spent_device_hours:.2f}{ceiling} {status.device_hours_unit}",
    ]
    if status.eta_s is not None:
        parts.append(f"ETA {duration(status.eta_s)}")
    return "; ".join(parts) + (f"; {status.reason}" if status.reason else "")


def follow(study: Study, console: Console, poll_s: float = 1.0) -> StudyStatus:
    """Shows the study until it stands still, and returns how. KeyboardInterrupt passes through: the study goes on."""
    if console.is_terminal:
        return _live(watch(study, poll_s), console)
    return _plain(watch(study, poll_s))


def _live(statuses: Iterator[StudyStatus], console: Console) -> StudyStatus:
    status = next(statuses)
    with Live(render(status), console=console, auto_refresh=False, transient=False) as live:
        for status in statuses:
            live.update(render(status), refresh=True)
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
