"""The typer application: every command group registered."""

from typing import Annotated

import typer

from advisor.cli import analyze, ask, changes, doctor, lists, plan, policies, power, runs, summaries

app = typer.Typer(
    name="advisor",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    ask.ask, ask.understand, plan.plan, plan.approve, runs.run, runs.status, runs.resume, runs.stop, changes.amend,
    changes.unblind, runs.report, analyze.analyze, power.power,
):  # fmt: skip
    app.command()(command)
group = typer.Typer(invoke_without_command=True, help="Lists the data policies; `show NAME` explains one.")
group.callback()(policies.policies)
group.command()(policies.show)
app.add_typer(group, name="policies")
for command in (lists.recipes, lists.benchmarks, summaries.summaries, doctor.doctor):
    app.command()(command)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a failure; may stand anywhere on the command line.")
    ] = False,
) -> None:
    """Ask whether a data policy helps RLVR training; get matched-seed GRPO runs and an honest answer."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("experiment-advisor"))
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
