"""Handles paths given by a user or an environment variable."""

from pathlib import Path

from policies.errors import InputError


def expanded(path: str | Path) -> Path:
    """Returns the path with `~` expanded; raises InputError for an unknown user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"the home folder in {str(path)!r} is unknown here; give the full path") from error


def demand_plain(folder: Path) -> None:
    """Raises InputError for a folder whose name verl's data loader or configuration would expand or cannot encode."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"folder {folder} has a name that is not UTF-8; use another folder") from error
    for mark in ("*", "?", "[", "${"):
        if mark in str(folder):
            raise InputError(f"folder {folder} contains {mark!r}, which verl would expand; use another folder")


def is_file(path: Path) -> bool:
    """Returns whether the path is a regular file; False if it cannot be checked (too long, not permitted)."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Returns whether the path is a folder; False if it cannot be checked."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
