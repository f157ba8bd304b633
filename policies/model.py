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
        shown = "" if fault["type"] == "missing" else f" (got {shortened(fault['input'])})"
        faults.append(f"{place}: {fault['msg'].removeprefix('Value error, ')}{shown}")
    return "; ".join(faults)


def shortened(value: object, limit: int = 60) -> str:
    """At most `limit` characters of one line, never writing out what is large or refers to itself many times over."""
    if isinstance(value, int) and value.bit_length() > 4 * limit:
        return f"a number of {value.bit_length()} bits"  # Python refuses to write more than 4300 digits
    writer = reprlib.Repr()
    writer.maxlevel = 3
    writer.maxstring = writer.maxother = writer.maxlong = limit
    text = " ".join(writer.repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
