"""What a policy class must say of itself, before anybody asks it anything."""

import inspect
import re
from typing import get_args

from policies.base import Family, Policy, PolicyParameters

_TEXTS = ("signal", "formula", "source", "inert_when")
_LISTS = ("aliases", "requires")


def declaration_faults(cls: type[Policy]) -> list[str]:
    """What is missing or of the wrong type in the class, in words; empty where it can be listed, shown and made."""
    faults = []
    name = getattr(cls, "name", None)
    if not (isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", name)):
        faults.append(f"`name` must be of lower case letters, digits and _, beginning with a letter (is {name!r})")
    if getattr(cls, "family", None) not in get_args(Family):
        faults.append(f"`family` must be one of {', '.join(get_args(Family))} (is {getattr(cls, 'family', None)!r})")
    if not isinstance(getattr(cls, "control", None), str):
        faults.append("`control` must be a policy's name")
    faults += [f"`{key}` must be text" for key in _TEXTS if not isinstance(getattr(cls, key), str)]
    faults += [f"`{key}` must be a tuple of texts" for key in _LISTS if not _are_texts(getattr(cls, key))]
    return faults + _parameter_faults(cls)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


def _parameter_faults(cls: type[Policy]) -> list[str]:
    if not (inspect.isclass(cls.Parameters) and issubclass(cls.Parameters, PolicyParameters)):
        return ["`Parameters` must be a class derived from policies.base.PolicyParameters"]
    missing = [key for key, field in cls.Parameters.model_fields.items() if field.is_required()]
    if missing:
        return [f"parameter {key} has no default" for key in missing]
    odd = [
        key for key, value in cls.Parameters().model_dump().items() if not isinstance(value, bool | int | float | str)
    ]
    return [f"parameter {key} must be true or false, a number or text" for key in odd]
