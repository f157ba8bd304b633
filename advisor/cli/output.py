"""What a command prints: data on stdout, talk on stderr, one object with `--json`, errors in one line."""

import io
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.text import numbers
from tools.text.plain_text import middle_cut, one_line

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]


MOST_SAID, MOST_WORD = 1500, 200
"""Characters of an error message, and of one value in it."""


LEAST_WIDTH = 20
"""Columns; a terminal that claims fewer is not believed."""


def talk() -> "Console":
    """Returns the console for messages to people: stderr; plain without a terminal or with NO_COLOR."""
    return _console(stderr=True)


def data() -> "Console":
    """Returns the console for results in text: stdout."""
    return _console(stderr=False)


def _console(*, stderr: bool) -> "Console":
    """Without markup unless a call asks for it: names from tables, such as `[red]x[/red]`, stay as they are."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    columns = os.environ.get("COLUMNS", "")
    usable = columns.isdecimal() and int(columns) >= LEAST_WIDTH if columns else stream.isatty()
    width = None if usable else 100
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width, soft_wrap=False)


def emit(document: "BaseModel | dict[str, Any]") -> None:
    """Prints one JSON object with `schema_version`; a number that is not finite becomes null."""
    fields = document if isinstance(document, dict) else document.model_dump(mode="json")
    content = finite({"schema_version": 1} | fields)
    text = json.dumps(content, ensure_ascii=False, indent=2)
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        text = json.dumps(content, ensure_ascii=True, indent=2)
    print(text)  # noqa: T201 - the output


def write_what_the_terminal_can() -> None:
    """Makes the terminal show a character that its encoding lacks as an escape code instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finite(value: Any) -> Any:
    """Returns the same JSON value with NaN and infinities replaced by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return numbers.finite(value) if isinstance(value, float) else value


def complain(message: str, exit_code: int, *, as_json: bool) -> None:
    """Prints the one-line error on stderr, long values cut in the middle; with `--json` also an object on stdout."""
    shortened = re.sub(rf"\S{{{MOST_WORD},}}", lambda word: middle_cut(word.group(), MOST_WORD), one_line(message))
    line = middle_cut(shortened, MOST_SAID)
    sys.stderr.write(f"error: {line}\n")
    if as_json:
        emit({"error": {"message": line, "exit_code": exit_code}})


def confirmed(question: str) -> bool:
    """Asks a yes/no question; Ctrl-C and end of input count as no."""
    try:
        return typer.confirm(question, default=False, err=True)
    except typer.Abort:
        sys.stderr.write("\n")
        return False


def at_terminal() -> bool:
    """Returns whether a person can be asked: stdin and stderr are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
