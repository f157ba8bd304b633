"""All faults of an intent, collected so that they are reported at once."""

from collections.abc import Callable
from typing import TypeVar

from policies.errors import InputError

T = TypeVar("T")


class Faults:
    """Faults in the order in which they were found."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, fault: str) -> None:
        """Adds one fault, in words."""
        self.found.append(fault)

    def tried(self, step: Callable[[], T]) -> T | None:
        """Returns the step's value, or None if it raised InputError, whose message is added."""
        try:
            return step()
        except InputError as error:
            self.add(str(error))
            return None

    def demand_none(self) -> None:
        """Raises InputError with all faults in one line, each once."""
        if self.found:
            raise InputError("; ".join(dict.fromkeys(self.found)))
