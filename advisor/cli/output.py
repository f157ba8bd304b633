"""What a command prints: data on stdout, talk on stderr, one object with `--json`, errors in one line."""

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

JsonFlag = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, nothing else.")]


def talk() -> "Console":
    """The console for people: stderr, plain when it is no terminal or NO_COLOR is set."""
    return _console(stderr=True)


def data() -> "Console":
    """The console for results that are text: stdout."""
    return _console(stderr=False)


def _console(*, stderr: bool) -> "Console":
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 100
    return Console(stderr=stderr, highlight=False, width=width, soft_wrap=False)


def emit(document: "BaseModel | dict[str, Any]") -> None:
    """Prints one JSON object with `schema_version`; a number that is not finite becomes null."""
    content = document if isinstance(document, dict) else document.model_dump(mode="json")
    print(json.dumps(finite({"schema_version": 1} | content), ensure_ascii=False, indent=2))  # noqa: T201 - the output


def finite(value: Any) -> Any:
    """The same JSON with NaN and infinities as None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(text: object) -> str:
    """A message without line breaks or control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in str(text)).split())


def complain(message: str, exit_code: int, *, as_json: bool) -> None:
    """The one line on stderr; with `--json` also an object on stdout."""
    sys.stderr.write(f"error: {one_line(message)}\n")
    if as_json:
        emit({"error": {"message": one_line(message), "exit_code": exit_code}})


def at_terminal() -> bool:
    """Whether a person can be asked: stdin and stderr are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
