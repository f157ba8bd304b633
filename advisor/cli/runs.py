"""`run`, `status`, `resume` and `stop`: a study that works, or stands still."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli import output
from advisor.cli.plan import StudyName

if TYPE_CHECKING:
    from tools.study.study import Study

OptionalStudy = Annotated[str | None, typer.Argument(metavar="[STUDY]", help="Leave out to list all studies.")]
Detach = Annotated[bool, typer.Option("--detach", help="Start it and return at once.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Runs begun on another host, or before a restart, are known to be dead.")
]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command("run")(run)
    app.command("status")(status)
    app.command("resume")(resume)
    app.command("stop")(stop)


def run(
    study: StudyName,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would run; start nothing.")] = False,
    detach: Detach = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Runs an approved study to its report."""
    from tools.study import manage
    from tools.study.study import find_study

    found = find_study(study)
    if dry_run:
        return _dry_run(found, as_json)
    with output.talk().status("starting the supervisor ..."):
        manage.start(found)
    return _stay(found, detach, as_json)


def resume(
    study: StudyName, take_over: TakeOver = False, detach: Detach = False, as_json: output.JsonFlag = False
) -> int:
    """Goes on with a study that stands still; nothing runs twice."""
    from tools.study import manage
    from tools.study.study import find_study

    found = find_study(study)
    with output.talk().status("starting the supervisor ..."):
        manage.resume(found, take_over=take_over)
    return _stay(found, detach, as_json)


def status(
    study: OptionalStudy = None,
    follow: Annotated[bool, typer.Option("--follow", help="Stay until it stands still.")] = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Shows a study, or lists all of them."""
    from tools.study import manage
    from tools.study.study import find_study

    if study is None:
        return _list(as_json)
    found = find_study(study)
    if follow:
        return _stay(found, False, as_json)
    current = manage.status(found)
    if as_json:
        output.emit(current)
    else:
        from advisor.cli.status_view import render

        output.data().print(render(current))
    return 0


def stop(study: StudyName, as_json: output.JsonFlag = False) -> int:
    """Stops a study; `resume` goes on from the last checkpoint."""
    from advisor.cli.status_view import headline
    from tools.study import manage
    from tools.study.study import find_study

    found = find_study(study)
    with output.talk().status("stopping ..."):
        current = manage.stop(found)
    if as_json:
        output.emit(current)
    else:
        typer.echo(headline(current))
    return 0


def _stay(found: "Study", detach: bool, as_json: bool) -> int:
    """Follows the study to its end, or says how to."""
    from advisor.cli.following import Detached, demand_done, follow_to_end
    from tools.study import manage

    try:
        current = manage.status(found) if detach else follow_to_end(found)
    except Detached:
        return 130
    if as_json:
        output.emit(current)
    if detach:
        output.talk().print(f"running; see it: advisor status {found.name} --follow", soft_wrap=True, markup=False)
        return 0
    demand_done(current)
    if not as_json:
        typer.echo(f"{manage.answer(found)}\n{found.folder / (current.report or 'report/report.md')}")
    return 0


def _dry_run(found: "Study", as_json: bool) -> int:
    """Run directories and commands, with what each costs."""
    import shlex
    import sys

    from tools.study.cost import run_device_hours, unit
    from tools.study.services import InstalledIdentity
    from tools.study.study import run_folder
    from tools.study.supervise import run_spec

    plan = found.plan
    identity = InstalledIdentity()
    rows = []
    for seed in plan.seeds:
        for arm in plan.arms:
            spec = run_spec(plan, arm, seed)
            key = identity.run_key(spec, plan.artifacts, plan.versions)
            where = run_folder(plan, arm.id, spec.seed, key)
            rows.append(
                {"arm": arm.id, "seed": spec.seed, "replicate": spec.replicate, "run_key": key, "folder": where}
            )
    hours = run_device_hours(plan.recipe)
    if as_json:
        output.emit({"study": found.folder.name, "runs": rows, "device_hours_per_run": hours})
        return 0
    for row in rows:
        folder = found.folder / str(row["folder"])
        typer.echo(f"cd {shlex.quote(str(folder))} && {shlex.quote(sys.executable)} -m training.run .")
    cost = f"about {hours:.3g} {unit(plan.recipe)} each"
    output.talk().print(f"{len(rows)} runs, {cost}; nothing was started", soft_wrap=True)
    return 0


def _list(as_json: bool) -> int:
    from tools.study.manage import list_studies
    from tools.study.study import studies_root

    lines = list_studies()
    if as_json:
        output.emit({"studies": [line.model_dump(mode="json") for line in lines]})
        return 0
    names = [Path(line.folder).name for line in lines]
    width = max(map(len, names), default=0)
    for name, line in zip(names, lines, strict=True):
        seeds = f"{line.seeds_scored}/{line.seeds} seeds scored" if line.seeds else ""
        typer.echo(f"{name:<{width}}  {line.state or 'unreadable':<11}  {seeds}  {line.reason}".rstrip())
    if not lines:
        output.talk().print(f"no study in {studies_root()}; begin with: advisor plan QUESTION", soft_wrap=True)
    return 0
