"""The `advisor` command: parses, dispatches, and turns every failure into one line and an exit code."""

import sys
import traceback
from typing import Annotated

import typer

from advisor.cli import ask, catalogue, doctor, plan, report, runs
from advisor.cli.output import complain
from policies.errors import AdvisorError

app = typer.Typer(
    name="advisor",
    help="Ask whether a data policy helps RLVR training; get matched-seed GRPO runs and an honest answer.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
ask.add_to(app)
plan.add_to(app)
runs.add_to(app)
report.add_to(app)
catalogue.add_to(app)
doctor.add_to(app)


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


def run(arguments: list[str] | None = None) -> int:
    """The console script; returns the exit code: 0 ok, 1 failed, 2 usage, 3 refused by a gate, 4 budget."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug, as_json = "--debug" in given, "--json" in given
    given = [word for word in given if word != "--debug"]
    try:
        from advisor.installation import check_installation

        check_installation()
        code = typer.main.get_command(app).main(given, prog_name="advisor", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except AdvisorError as error:
        _show_traceback(debug)
        complain(str(error), error.exit_code, as_json=as_json)
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        complain("stopped by you; nothing was started that was not told", 130, as_json=as_json)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        return _unexpected(error, debug, as_json)


def _unexpected(error: Exception, debug: bool, as_json: bool) -> int:
    _show_traceback(debug)
    if hasattr(error, "format_message"):  # a usage error; the class itself is private to typer
        message = error.format_message().rstrip(".")
        complain(f"{message}; see: advisor{_command_of(error)} --help", 2, as_json=as_json)
        return 2
    missing = getattr(error, "name", None) if isinstance(error, ImportError) else None
    if missing and missing.split(".")[0] in _TRAIN_MODULES:
        from training.overrides import TRAIN_EXTRA

        complain(f"this needs {missing}, which is not installed; run: {TRAIN_EXTRA}", 1, as_json=as_json)
        return 1
    words = f"{type(error).__name__}: {error}"
    complain(f"{words}; this is a bug of advisor, rerun with --debug and report it", 1, as_json=as_json)
    return 1


_TRAIN_MODULES = frozenset({"torch", "verl", "ray", "transformers", "tensordict", "transfer_queue", "pyarrow"})


def _command_of(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    path = str(getattr(context, "command_path", "advisor"))
    return path.removeprefix("advisor")


def _show_traceback(debug: bool) -> None:
    if debug:
        traceback.print_exc()


if __name__ == "__main__":
    sys.exit(run())
