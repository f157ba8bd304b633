"""What values a parameter takes, in words."""

from typing import Literal, get_args, get_origin

import annotated_types as bounds
from pydantic.fields import FieldInfo

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def allowed(field: FieldInfo) -> str:
    """`a number in (0, 1000]`, `a whole number >= 2`, `true or false`, ... from the field's type and bounds."""
    if get_origin(field.annotation) is Literal:
        return " or ".join(map(str, get_args(field.annotation)))
    low = high = ""
    for bound in field.metadata:
        if isinstance(bound, bounds.Gt):
            low = f"({bound.gt}"
        elif isinstance(bound, bounds.Ge):
            low = f"[{bound.ge}"
        elif isinstance(bound, bounds.Lt):
            high = f"{bound.lt})"
        elif isinstance(bound, bounds.Le):
            high = f"{bound.le}]"
    kind = next((words for cls, words in _KINDS.items() if field.annotation is cls), str(field.annotation))
    if low and high:
        return f"{kind} in {low}, {high}"
    if low:
        return f"{kind} {'>=' if low[0] == '[' else '>'} {low[1:]}"
    if high:
        return f"{kind} {'<=' if high[-1] == ']' else '<'} {high[:-1]}"
    return kind
