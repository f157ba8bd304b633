"""One way to declare a parameter: default, what it means, its unit, whose default it is, its bounds."""

from typing import Any, Literal

from pydantic import Field
from pydantic.config import JsonDict

Owner = Literal["the study's", "ours"]


def parameter(default: Any, about: str, *, whose: Owner, unit: str = "", **bounds: Any) -> Any:
    """A field of a `PolicyParameters` model; `bounds` are pydantic's (gt, ge, lt, le).

    `whose`: the study's, as it was launched, or ours, where the study says nothing or its own would not act.
    """
    extra: JsonDict = {"about": about, "unit": unit, "default_of": whose}
    return Field(default=default, description=f"{about}; {whose}", json_schema_extra=extra, **bounds)
