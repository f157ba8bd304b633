"""The `advisor` command: checks the installation, dispatches, turns every failure into one line and an exit code."""

import itertools
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from advisor.installation import installation_fault

INTERRUPTED = 130
_TRAIN_MODULES = frozenset({"torch", "verl", "ray", "transformers", "tensordict", "transfer_queue", "pyarrow"})


def run(arguments: list[str] | None = None) -> int:
    """The console script; returns the exit code: 0 ok, 1 failed, 2 usage, 3 refused by a gate, 4 budget."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    fault = installation_fault()
    if fault is not None:
        sys.stderr.write(f"error: {fault}\n")
        return 1
    try:
        code = _run(given)
        sys.stdout.flush()
    except OSError as error:
        return _output_lost(error)
    return code


def _output_lost(error: OSError) -> int:
    """Nothing more can be written; a reader that left has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        with suppress(OSError):
            sys.stderr.write(f"error: cannot write the output: {error.strerror}; send it elsewhere\n")
    return 1


def _open_closed_streams() -> None:
    """A caller may have closed any of the three standard streams; Python leaves None in its place."""
    nowhere = Path(os.devnull)
    sys.stdin = sys.stdin or nowhere.open(encoding="utf-8")
    sys.stdout = sys.stdout or nowhere.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nowhere.open("w", encoding="utf-8")


def _run(given: list[str]) -> int:
    import typer

    from advisor.cli.app import app
    from advisor.cli.output import complain, write_what_the_terminal_can
    from policies.errors import AdvisorError

    debug, as_json = "--debug" in given, "--json" in given
    given = [_readable(word) for word in given if word != "--debug"]
    write_what_the_terminal_can()
    try:
        code = typer.main.get_command(app).main(given, prog_name="advisor", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except AdvisorError as error:
        _show_traceback(debug)
        complain(str(error), error.exit_code, as_json=as_json)
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted", INTERRUPTED, as_json=as_json)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:  # the last line of defence: a person never sees a bare traceback
        _show_traceback(debug)
        message, code = _explained(error, given)
        complain(message, code, as_json=as_json)
        return code


def _explained(error: Exception, given: list[str]) -> tuple[str, int]:
    """The line and exit code of a failure that is not one of ours."""
    if hasattr(error, "format_message"):  # a usage error; its class is private to typer
        return (
            f"{_usage(error, given)}; see: {getattr(getattr(error, 'ctx', None), 'command_path', 'advisor')} --help",
            2,
        )
    missing = (getattr(error, "name", None) or "").split(".")[0] if isinstance(error, ImportError) else ""
    if missing in _TRAIN_MODULES:
        from training.overrides import TRAIN_EXTRA

        return f"this needs {missing}, which is not installed; run: {TRAIN_EXTRA}", 1
    if isinstance(error, OSError):
        from advisor.api import explained

        return explained(error), 1
    words = f"{type(error).__name__}: {error}"
    return f"{words}; this is a bug in advisor: run again with --debug and report the output", 1


def _usage(error: Exception, given: list[str]) -> str:
    """What is wrong with the command line, with the value that was typed and the nearest command where there is one."""
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    names = getattr(getattr(error, "param", None), "opts", ())
    typed = [value for name, value in itertools.pairwise(given) if name in names]
    if typed:
        return f"{message} (got {typed[-1]!r})"
    commands = getattr(getattr(getattr(error, "ctx", None), "command", None), "commands", {})
    unheard = message.split("'")[1] if message.startswith("No such command '") else ""
    from training.support.nearest import nearest

    near = nearest(unheard, commands, 1)
    return f"No such command {unheard!r}, did you mean {near[0]}" if near else message


def _readable(word: str) -> str:
    """A typed word, read as UTF-8 whatever the locale says; what is none becomes question marks."""
    if not word.isascii():
        with suppress(UnicodeError):
            word = os.fsencode(word).decode("utf-8", "surrogateescape")
    return word.encode("utf-8", "replace").decode("utf-8")


def _show_traceback(debug: bool) -> None:
    if debug:
        traceback.print_exc()


if __name__ == "__main__":
    sys.exit(run())
