"""Files that are whole or not there."""

import os
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], bool]) -> bool:
    """Lets `write` fill a temporary neighbour and renames it; where it gives False, `path` goes. Gives the same."""
    temporary = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        written = write(temporary)
        if written:
            temporary.replace(path)
        else:
            path.unlink(missing_ok=True)
        return written
    finally:
        temporary.unlink(missing_ok=True)
