"""Opens `study.db`: journal mode by filesystem, numbered append-only migrations, clear errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from policies.errors import AdvisorError

R = TypeVar("R", bound=tuple[Any, ...])

_NETWORK = ("nfs", "cifs", "smb", "fuse", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "glusterfs", "sshfs")

PATIENCE_S = 30.0
"""How long a statement waits for another process that holds the database."""
_RESTORE = "restore it from a copy of the study folder"
_WAYS = {
    "SQLITE_BUSY": f"another process has held it for {PATIENCE_S:g} s: end that process, then try again",
    "SQLITE_LOCKED": "another process holds it: end that process, then try again",
    "SQLITE_FULL": "make room on its disk, then try again; nothing stored is lost",
    "SQLITE_READONLY": "give yourself permission to write there, or work on a copy of the study folder",
    "SQLITE_CANTOPEN": "give yourself permission to read and write there, or work on a copy of the study folder",
    "SQLITE_PERM": "give yourself permission to read and write there, or work on a copy of the study folder",
    "SQLITE_IOERR": "its disk fails or is full: mend that, then try again",
}
"""What to do, by the beginning of SQLite's name for the fault; else the file itself is at fault."""


def migrations() -> tuple[str, ...]:
    """SQL of every migration, oldest first; entry i brings a database from schema version i to i + 1."""
    folder = resources.files("tools.study").joinpath("migrations")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in files)


def create(path: Path) -> sqlite3.Connection:
    """A new database at the current schema. AdvisorError when it cannot be written."""
    with reported(path):
        return _open(path, new=True)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Opens an existing database, brought to the current schema.

    Raises `AdvisorError` for a file that is no ledger (an empty one too: it is not filled in), and for one that a newer
    advisor wrote.
    """
    with reported(path):
        if read_only:
            connection = _open_read_only(path)
            _check_version(connection, path)
            if _version(connection) == len(migrations()):
                return connection
            connection.close()
        connection = _open(path)
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        return connection


def _open(path: Path, *, new: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    try:
        if not new:
            _check_version(connection, path)
        mode = "DELETE" if on_network(path) else "WAL"
        connection.execute(f"PRAGMA journal_mode={mode}")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def fold(connection: sqlite3.Connection) -> None:
    """Writes what is in the write-ahead log into the database file, unless somebody reads just now."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA busy_timeout=1000")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def reported(path: Path, otherwise: str = _RESTORE) -> Iterator[None]:
    """Turns SQLite's complaints about a file into one `AdvisorError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise AdvisorError(f"cannot use {path}: {error}; {way_out(error, otherwise)}") from error


def way_out(error: sqlite3.Error, otherwise: str) -> str:
    """What to do about a database that SQLite cannot use; `otherwise`: what to do when the file itself is at fault."""
    name = getattr(error, "sqlite_errorname", "") or ""
    return next((way for start, way in _WAYS.items() if name.startswith(start)), otherwise)


def checked(kind: type[R], rows: list[Any], path: Path) -> tuple[R, ...]:
    """Rows of one kind, each validated: what somebody else wrote into the file is not believed (AdvisorError)."""
    try:
        return _validator(kind).validate_python(rows)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise AdvisorError(
            f"{path} holds what cannot be ({kind.__name__} {place}: {fault['msg']}, found "
            f"{str(fault['input'])[:60]!r}); {_RESTORE}"
        ) from error


@cache
def _validator(kind: type[R]) -> TypeAdapter[tuple[R, ...]]:
    return TypeAdapter(tuple[kind, ...], config=ConfigDict(allow_inf_nan=False))  # type: ignore[valid-type]


def on_network(path: Path) -> bool:
    """Whether the file lies on a network filesystem, where SQLite's shared-memory WAL must not be used."""
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return False
    target = path.resolve()
    best, kind = 0, ""
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        _, mount, filesystem, *_ = line.split(" ")
        point = mount.replace("\\040", " ")
        if target.is_relative_to(point) and len(point) >= best:
            best, kind = len(point), filesystem
    return kind.startswith(_NETWORK)


def _open_read_only(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise AdvisorError(f"no study.db at {path}; name a study folder")
    uri = path.resolve().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=PATIENCE_S, isolation_level=None)
    try:
        _version(connection)
    except sqlite3.OperationalError:  # a WAL database on a medium that cannot be written has no shared memory
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise AdvisorError(
                f"{path} has changes in {log.name} that cannot be read in a folder without write permission; copy the "
                "study folder to a place of yours and use the copy"
            ) from None
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
        _version(connection)
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    found, known = _version(connection), len(migrations())
    if found < 1:
        connection.close()
        raise AdvisorError(f"{path} is empty or no ledger of a study; {_RESTORE}")
    if found > known:
        connection.close()
        raise AdvisorError(
            f"{path} has schema version {found}, this advisor knows up to {known}; upgrade experiment-advisor"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    for version, script in enumerate(migrations()):
        if version >= _version(connection):
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={version + 1};\nCOMMIT;")
