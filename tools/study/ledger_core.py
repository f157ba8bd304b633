"""The connection under the ledger: opened, closed, read and written so that every complaint is one clear error."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from policies.errors import AdvisorError
from tools.study.database import checked, connect, fold, reported

R = TypeVar("R", bound=tuple[Any, ...])


def now() -> str:
    """The time as the ledger writes it: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class LedgerCore:
    """One connection to a study's database; a context manager."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Opens an existing ledger. AdvisorError: missing, corrupt or newer than this code."""
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
        """Closes the connection; what was written is folded into the database file, which alone is the study then."""
        if not self._read_only:
            fold(self._connection)
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
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
