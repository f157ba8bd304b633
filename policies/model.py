"""The base of every model that crosses a border between packages, processes or files."""

import reprlib

from pydantic import BaseModel, ConfigDict, ValidationError


class StrictModel(BaseModel):
    """Frozen, unknown fields refused, no NaN or infinity."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, ser_json_inf_nan="null")


def describe_faults(error: ValidationError) -> str:
    """All faults of a validation error in one line: `field: what (value)`, separated by semicolons."""
    faults = []
    for fault in error.errors(include_url=False):
        place = ".".join(str(part) for part in fault["loc"]) or "value"
        shown = "" if fault["type"] == "missing" else f" (got {_shortened(fault['input'])})"
        faults.append(f"{place}: {fault['msg'].removeprefix('Value error, ')}{shown}")
    return "; ".join(faults)


def _shortened(value: object, limit: int = 60) -> str:
    """At most `limit` characters, without ever writing out what is large or refers to itself many times over."""
    writer = reprlib.Repr()
    writer.maxlevel = 3
    writer.maxstring = writer.maxother = writer.maxlong = limit
    text = writer.repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
