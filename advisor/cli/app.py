"""The typer application: every command group registered."""

from typing import Annotated

import typer

from advisor.cli import analyze, ask, catalogue, changes, doctor, plan, policies, power, report, runs, summaries

app = typer.Typer(
    name="advisor",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for group in (ask, plan, runs, changes, report, analyze, power, policies, catalogue, summaries, doctor):
    group.add_to(app)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure (works anywhere).")] = False,
) -> None:
    """Ask whether a data policy helps RLVR training; get matched-seed GRPO runs and an honest answer."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("experiment-advisor"))
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
