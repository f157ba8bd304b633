"""Policies by name: built-ins (one module of `policies.builtin` each), `@register`, and the entry points of others.

A third party's distribution names its policy class in the entry point group `advisor.policies`; it is loaded only
when that policy is used, so a broken one harms nobody else.
"""

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import TypeVar

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from policies.base import Policy, PolicySpec
from policies.bounds import allowed
from policies.declaration import declaration_faults
from policies.errors import AdvisorError, InputError, PolicyError
from policies.model import shortened

ENTRY_POINTS = "advisor.policies"

P = TypeVar("P", bound=type[Policy])

_BUILTIN = "policies.builtin."

_registered: dict[str, type[Policy]] = {}


def register(cls: P) -> P:
    """Class decorator: makes a policy known by its `name`.

    Raises InputError for a name that another class has, and for a class whose declaration is not complete.
    """
    if faults := declaration_faults(cls):
        raise InputError(f"policy class {cls.__module__}.{cls.__qualname__}: {'; '.join(faults)}")
    if not cls.__module__.startswith(_BUILTIN):
        _load_builtins()  # they have the first claim to their names
    known = _registered.get(cls.name)
    if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise InputError(
            f"policy {cls.name!r} of {cls.__module__} would shadow the one of {known.__module__}: give it another name"
        )
    _registered[cls.name] = cls
    return cls


def names() -> tuple[str, ...]:
    """Every policy that can be asked for, sorted; third parties' ones unloaded."""
    _load_builtins()
    return tuple(sorted({*_registered, *_entry_points()}))


def outside_modules() -> tuple[str, ...]:
    """Top-level modules of the policies that others have installed, sorted; none of them is loaded."""
    points = (point for found in _entry_points().values() for point in found)
    return tuple(sorted({point.module.split(".")[0] for point in points} - {"policies"}))


def get(name: str) -> type[Policy]:
    """The policy class of that name.

    Raises InputError for an unknown name (nearest ones offered), a third party's policy that cannot be loaded, and a
    name that two packages claim.
    """
    _load_builtins()
    outside = _entry_points().get(name, ())
    if len(outside) > 1 or (outside and name in _registered and not _same(outside[0], _registered[name])):
        claims = ", ".join(_distribution(point) for point in outside)
        builtin = " and this package" if name in _builtin_names() else ""
        raise InputError(f"policy {name!r} is claimed by {claims}{builtin}: uninstall all but one, or rename it")
    if name in _registered:
        return _registered[name]
    if outside:
        return _load(outside[0])
    near = difflib.get_close_matches(str(name).strip().lower()[:100], names(), n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known policies: {', '.join(names())}"
    raise InputError(f"unknown policy {shortened(name)}; {hint}")


def resolve(name: str, parameters: Mapping[str, object] | None = None) -> PolicySpec:
    """The policy with every parameter filled in, typed and checked.

    Raises InputError, one line with all faults: unknown name or parameter (nearest offered), wrong type, out of range.
    """
    cls = get(name)
    given = dict(parameters or {})
    known = cls.Parameters.model_fields
    faults = [_unknown_parameter(key, tuple(known)) for key in given if key not in known]
    checked = {}
    for key, value in given.items():
        if key in known and isinstance(value, bool) and known[key].annotation is not bool:
            faults.append(f"{key} must be {allowed(known[key])} (got {value})")
        elif key in known:
            checked[key] = value
    try:
        filled = cls.Parameters.model_validate(checked)
    except ValidationError as error:
        faults += [_parameter_fault(fault, known) for fault in error.errors(include_url=False)]
    if faults:
        raise InputError(f"policy {name}: {'; '.join(faults)}")
    return PolicySpec(name=name, parameters=filled.model_dump())


def create(spec: PolicySpec, domains: Sequence[str], seed: int) -> Policy:
    """The policy, ready for step 1 of a run on data with these domains.

    Raises InputError as `resolve` does, and where the parameters do not fit the domains.
    """
    cls = get(spec.name)
    parameters = cls.Parameters.model_validate(resolve(spec.name, spec.parameters).parameters)
    try:
        return cls(parameters, domains, seed)
    except AdvisorError:
        raise
    except Exception as error:  # a third party's code may fail in any way
        raise PolicyError(f"policy {spec.name} cannot start: {type(error).__name__}: {error}") from error


def _unknown_parameter(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(key)[:100], known, n=1, cutoff=0.5)
    takes = f"it takes {', '.join(known)}" if known else "it takes none"
    return f"unknown parameter {shortened(key)} ({f'did you mean {near[0]}? ' if near else ''}{takes})"


def _parameter_fault(fault: ErrorDetails, known: Mapping[str, FieldInfo]) -> str:
    key = ".".join(str(part) for part in fault["loc"]) or "parameters"
    if fault["type"] == "value_error" or key not in known:
        return f"{key}: {fault['msg'].removeprefix('Value error, ')}"
    given = fault["input"]
    plain = isinstance(given, str) and given.isprintable() and len(given) <= 60
    return f"{key} must be {allowed(known[key])} (got {given if plain else shortened(given)})"


@cache
def _builtin_names() -> frozenset[str]:
    folder = importlib.import_module("policies.builtin")
    for module in pkgutil.iter_modules(folder.__path__, _BUILTIN):
        importlib.import_module(module.name)
    return frozenset(name for name, cls in _registered.items() if cls.__module__.startswith(_BUILTIN))


def _load_builtins() -> None:
    _builtin_names()


@cache
def _entry_points() -> dict[str, tuple[metadata.EntryPoint, ...]]:
    found: dict[str, tuple[metadata.EntryPoint, ...]] = {}
    for point in metadata.entry_points(group=ENTRY_POINTS):
        others = found.get(point.name, ())
        if all(point.value != other.value for other in others):
            found[point.name] = (*others, point)
    return found


def _same(point: metadata.EntryPoint, cls: type[Policy]) -> bool:
    return point.value == f"{cls.__module__}:{cls.__qualname__}"


def _distribution(point: metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _load(point: metadata.EntryPoint) -> type[Policy]:
    origin = f"policy {point.name!r} of {_distribution(point)} ({point.value})"
    try:
        cls = point.load()
    except (Exception, SystemExit) as error:  # a third party's import may fail in any way
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(f"{origin} cannot be loaded: {reason}; mend or uninstall that package") from error
    if not (inspect.isclass(cls) and issubclass(cls, Policy)) or inspect.isabstract(cls):
        raise InputError(f"{origin} is not a class derived from policies.base.Policy; mend or uninstall that package")
    if faults := declaration_faults(cls):
        raise InputError(f"{origin} is declared wrongly: {'; '.join(faults)}; mend or uninstall that package")
    if cls.name != point.name:
        raise InputError(f"{origin} calls itself {cls.name!r}: its `name` and its entry point's must agree")
    return cls
