"""`report`: builds the report again from what is stored; no GPU, LLM or network."""

import typer

from advisor.cli import output
from advisor.cli.plan import StudyName


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command("report")(report)


def report(study: StudyName, as_json: output.JsonFlag = False) -> int:
    """Builds the report of a finished study again, byte for byte."""
    import json

    from advisor.cli.following import demand_done
    from tools.study import manage
    from tools.study.study import find_study

    found = find_study(study)
    with output.talk().status("building the report ..."):
        path = manage.report(found)
    if as_json:
        verdict = json.loads((path.parent / "verdict.json").read_text(encoding="utf-8"))
        output.emit({"study": found.folder.name, "report": str(path), "verdict": verdict})
    else:
        typer.echo(str(path))
    demand_done(manage.status(found))
    return 0
