"""Opens `study.db`: journal mode by filesystem, numbered append-only migrations, clear errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from policies.errors import AdvisorError

_NETWORK = ("nfs", "cifs", "smb", "fuse", "lustre", "gpfs", "beegfs", "ceph", "afs", "9p", "glusterfs", "sshfs")


def migrations() -> tuple[str, ...]:
    """SQL of every migration, oldest first; entry i brings a database from schema version i to i + 1."""
    folder = resources.files("tools.study").joinpath("migrations")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in files)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Opens an existing or (when the file is missing and `read_only` is false) new database at the current schema.

    Raises `AdvisorError` for a file that is no readable database or that a newer advisor wrote.
    """
    with reported(path):
        if read_only:
            connection = _open_read_only(path)
            if _version(connection) >= len(migrations()):
                _check_version(connection, path)
                return connection
            connection.close()
        connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            _check_version(connection, path)
            mode = "DELETE" if on_network(path) else "WAL"
            connection.execute(f"PRAGMA journal_mode={mode}")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        return connection


@contextmanager
def reported(path: Path) -> Iterator[None]:
    """Turns SQLite's complaints about a file into one `AdvisorError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise AdvisorError(f"cannot use {path}: {error}; restore it from a copy of the study folder") from error


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
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=30, isolation_level=None)
    try:
        _version(connection)
    except sqlite3.OperationalError:  # a WAL database on a medium that cannot be written has no shared memory
        connection.close()
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True, timeout=30, isolation_level=None)
        _version(connection)
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    found, known = _version(connection), len(migrations())
    if found > known:
        connection.close()
        raise AdvisorError(
            f"{path} has schema version {found}, this advisor knows up to {known}; upgrade experiment-advisor"
        )


def _migrate(connection: sqlite3.Connection) -> None:
    for version, script in enumerate(migrations()):
        if version >= _version(connection):
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={version + 1};\nCOMMIT;")
