"""`run`, `status`, `resume`, `stop` and `report`: controls a study and shows where it stands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli import output
from advisor.cli.plan import StudyName

if TYPE_CHECKING:
    from tools.study.folder import Study

OptionalStudy = Annotated[str | None, typer.Argument(metavar="[STUDY]", help="Omit to list all studies.")]
Detach = Annotated[bool, typer.Option("--detach", help="Start it and return immediately.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Treat runs started on another host, or before a reboot, as dead.")
]


def run(
    study: StudyName,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would run without starting anything.")] = False,
    detach: Detach = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Runs an approved study through to its report."""
    from tools import catalogue
    from tools.study.folder import find_study

    found = find_study(study)
    if dry_run:
        return _dry_run(found, as_json)
    with output.talk().status("starting the supervisor ..."):
        catalogue.launch_runs(found)
    return _stay(found, detach, as_json)


def resume(
    study: StudyName, take_over: TakeOver = False, detach: Detach = False, as_json: output.JsonFlag = False
) -> int:
    """Resumes a stopped or interrupted study; nothing runs twice."""
    from tools import catalogue
    from tools.study.folder import find_study

    found = find_study(study)
    with output.talk().status("starting the supervisor ..."):
        catalogue.launch_runs(found, take_over=take_over)
    return _stay(found, detach, as_json)


def status(
    study: OptionalStudy = None,
    follow: Annotated[bool, typer.Option("--follow", help="Follow it until it stops.")] = False,
    as_json: output.JsonFlag = False,
) -> int:
    """Shows the status of a study, or lists all studies."""
    from tools import catalogue
    from tools.study.folder import find_study

    if study is None:
        return _list(as_json)
    found = find_study(study)
    if follow:
        return _stay(found, False, as_json)
    current = catalogue.study_status(found)
    if as_json:
        output.emit(current)
    else:
        from advisor.views.status import render

        output.data().print(render(current))
    return 0


def stop(study: StudyName, as_json: output.JsonFlag = False) -> int:
    """Stops a study; `resume` continues from the last checkpoint."""
    from advisor.views.status import headline
    from tools.study import process
    from tools.study.folder import find_study

    found = find_study(study)
    with output.talk().status("stopping ..."):
        current = process.stop(found)
    if as_json:
        output.emit(current)
    else:
        typer.echo(headline(current))
    return 0


def report(study: StudyName, as_json: output.JsonFlag = False) -> int:
    """Rebuilds the report of a finished study, byte for byte."""
    from advisor.cli.following import demand_done
    from tools import catalogue
    from tools.study.folder import find_study

    found = find_study(study)
    with output.talk().status("building the report ..."):
        path = catalogue.write_report(found)
    if as_json:
        verdict = catalogue.read_verdict(found).stored()
        output.emit({"study": found.folder.name, "report": str(path), "verdict": verdict})
    else:
        typer.echo(str(path))
    demand_done(catalogue.study_status(found))
    return 0


def _stay(found: "Study", detach: bool, as_json: bool) -> int:
    """Follows the study to its end, or says how to follow it."""
    from advisor.cli.following import Detached, demand_done, follow_to_end
    from tools import catalogue

    try:
        current = catalogue.study_status(found) if detach else follow_to_end(found)
    except Detached:
        return 130
    if as_json:
        output.emit(current)
    if detach:
        output.talk().print(
            f"running; to follow it: advisor status {found.name} --follow", soft_wrap=True, markup=False
        )
        return 0
    demand_done(current)
    if not as_json:
        typer.echo(f"{catalogue.read_verdict(found).title}\n{found.folder / (current.report or 'report/report.md')}")
    return 0


def _dry_run(found: "Study", as_json: bool) -> int:
    """Lists run directories and commands, with the cost of each."""
    import shlex
    import sys

    from tools.plan.cost import run_device_hours, unit
    from tools.plan.run_identity import InstalledIdentity
    from tools.study.folder import run_folder
    from tools.study.supervisor.supervise import run_spec

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
    from tools import catalogue
    from tools.study.folder import studies_root

    lines = catalogue.list_studies()
    if as_json:
        output.emit({"studies": [line.model_dump(mode="json") for line in lines]})
        return 0
    names = [Path(line.folder).name for line in lines]
    width = max(map(len, names), default=0)
    for name, line in zip(names, lines, strict=True):
        seeds = f"{line.seeds_scored}/{line.seeds} seeds scored" if line.seeds else ""
        typer.echo(f"{name:<{width}}  {line.state or 'unreadable':<11}  {seeds}  {line.reason}".rstrip())
    if not lines:
        output.talk().print(f"no study in {studies_root()}; start with: advisor plan QUESTION", soft_wrap=True)
    return 0
