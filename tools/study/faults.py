"""Everything wrong with an intent, collected so that it is told at once."""

from collections.abc import Callable
from typing import TypeVar

from policies.errors import InputError

T = TypeVar("T")


class Faults:
    """Faults in the order in which they were found."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, fault: str) -> None:
        """One more, in words."""
        self.found.append(fault)

    def tried(self, step: Callable[[], T]) -> T | None:
        """The step's value, or None when it raised InputError (which is kept)."""
        try:
            return step()
        except InputError as error:
            self.add(str(error))
            return None

    def demand_none(self) -> None:
        """Raises InputError with all faults in one line, each once."""
        if self.found:
            raise InputError("; ".join(dict.fromkeys(self.found)))
