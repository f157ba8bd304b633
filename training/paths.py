"""Paths that a person typed or an environment variable holds."""

from pathlib import Path

from policies.errors import InputError


def expanded(path: str | Path) -> Path:
    """The path with `~` filled in; InputError for a user that does not exist."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"{str(path)!r} names no home folder that is known here; write the path out") from error


def demand_plain(folder: Path) -> None:
    """Raises InputError for a folder whose name verl's data loader or its configuration expands or cannot hold."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"folder {folder} has a name that is no UTF-8; use another folder") from error
    for mark in ("*", "?", "[", "${"):
        if mark in str(folder):
            raise InputError(f"folder {folder} holds {mark!r}, which verl would expand; use another folder")


def is_file(path: Path) -> bool:
    """Whether a regular file is there; a path that cannot be looked at (too long, not permitted) holds none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there; a path that cannot be looked at holds none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
