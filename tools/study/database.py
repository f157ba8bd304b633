"""`study.db`: journal mode by filesystem, numbered append-only migrations, and every SQLite error in one clear line."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import psutil
from pydantic import ConfigDict, TypeAdapter, ValidationError

from policies.errors import AdvisorError

R = TypeVar("R", bound=tuple[Any, ...])

_NETWORK = ("nfs", "cifs", "smb", "fuse", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "glusterfs", "sshfs")

PATIENCE_S = 30.0
"""How long a statement waits for another process that holds the database."""
_RESTORE = "restore it from a copy of the study folder"
_WAYS = {
    "SQLITE_BUSY": f"another process has locked it for {PATIENCE_S:g} s: end that process, then try again",
    "SQLITE_LOCKED": "another process has locked it: end that process, then try again",
    "SQLITE_FULL": "free space on its disk, then try again; nothing stored is lost",
    "SQLITE_READONLY": "get write permission there, or work on a copy of the study folder",
    "SQLITE_CANTOPEN": "get read and write permission there, or work on a copy of the study folder",
    "SQLITE_PERM": "get read and write permission there, or work on a copy of the study folder",
    "SQLITE_IOERR": "its disk is failing or full: fix that, then try again",
}
"""What to do, by the beginning of SQLite's name for the error; any other error is in the file itself."""


def migrations() -> tuple[str, ...]:
    """Returns the SQL of every migration, oldest first; entry i brings a database from schema version i to i + 1."""
    folder = resources.files("tools.study").joinpath("migrations")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in files)


def create(path: Path) -> sqlite3.Connection:
    """Creates a database at the current schema. Raises AdvisorError if it cannot be written."""
    with reported(path):
        return _open(path, new=True)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Opens an existing database and migrates it to the current schema.

    Raises `AdvisorError` for a file that is not a ledger (an empty file is not initialised), and for one that a newer
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
    """Checkpoints the write-ahead log into the database file, unless another process is reading it."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA busy_timeout=1000")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def reported(path: Path, otherwise: str = _RESTORE) -> Iterator[None]:
    """Turns SQLite errors about a file into one `AdvisorError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise AdvisorError(f"cannot use {path}: {error}; {way_out(error, otherwise)}") from error


def way_out(error: sqlite3.Error, otherwise: str) -> str:
    """Returns what to do about a SQLite error; `otherwise` if the error is in the file itself."""
    name = getattr(error, "sqlite_errorname", "") or ""
    return next((way for start, way in _WAYS.items() if name.startswith(start)), otherwise)


def checked(kind: type[R], rows: list[Any], path: Path) -> tuple[R, ...]:
    """Validates rows of one kind and returns them; raises AdvisorError for a value that no ledger can hold."""
    try:
        return _validator(kind).validate_python(rows)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise AdvisorError(
            f"{path} holds an impossible value ({kind.__name__} {place}: {fault['msg']}, found "
            f"{str(fault['input'])[:60]!r}); {_RESTORE}"
        ) from error


@cache
def _validator(kind: type[R]) -> TypeAdapter[tuple[R, ...]]:
    return TypeAdapter(tuple[kind, ...], config=ConfigDict(allow_inf_nan=False))  # type: ignore[valid-type]


def on_network(path: Path) -> bool:
    """Returns whether the file is on a network filesystem, where SQLite's shared-memory WAL must not be used."""
    target = path.resolve()
    holding = [part for part in psutil.disk_partitions(all=True) if target.is_relative_to(part.mountpoint)]
    nearest = max(holding, key=lambda part: len(part.mountpoint), default=None)
    return nearest is not None and nearest.fstype.startswith(_NETWORK)


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
                "study folder to a writable place and use the copy"
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
        raise AdvisorError(f"{path} is empty or not the ledger of a study; {_RESTORE}")
    if found > known:
        connection.close()
        raise AdvisorError(
            f"{path} has schema version {found}, but this advisor supports up to {known}; upgrade experiment-advisor"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    for version, script in enumerate(migrations()):
        if version >= _version(connection):
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={version + 1};\nCOMMIT;")


def now() -> str:
    """Returns the current time as the ledger writes it: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Database:
    """One connection to a `study.db`; a context manager."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Opens an existing database. Raises AdvisorError if it is missing, corrupt or newer than this code."""
        if not path.is_file():
            raise AdvisorError(f"no study.db at {path}; name a study folder")
        self.path = path
        self._read_only = read_only
        self._connection = connect(path, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection after a checkpoint, so that the database file alone holds the study."""
        if not self._read_only:
            fold(self._connection)
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block as one transaction: all of its changes or none."""
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._execute("COMMIT")

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        with reported(self.path):
            return self._connection.execute(sql, values)

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with reported(self.path):
            return self._connection.execute(sql, values).fetchall()

    def _read(self, kind: type[R], sql: str, values: Sequence[Any] = ()) -> tuple[R, ...]:
        return checked(kind, self._rows(sql, values), self.path)
