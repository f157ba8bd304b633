"""A policy in words: what it does, what it needs, which parameters it takes, how its delivery is proved."""

import inspect
from collections.abc import Callable

from pydantic.fields import FieldInfo

from policies.actuators import interchangeable
from policies.base import Family, Policy
from policies.bounds import allowed
from policies.model import StrictModel
from policies.registry import get
from policies.scorers import scorer_names

_PROOFS = {
    "shares": (
        "shares act before rollout: each step records the shares asked for and those of the prompts really rolled out; "
        "the dose is the total variation between the arms' shares, and counts from half a prompt a step"
    ),
    "weights": (
        "weights act in the loss: the worker reports sum, squares, zeros and a digest of all values that its loss "
        "multiplied with, which must be what the policy set; the dose is the total variation from equal weights over "
        "what carries gradient"
    ),
    "advantages": (
        "with recompute_advantage, advantages are replaced before the loss: the worker's digest of what its loss "
        "computed with must be that of what the policy set; the dose is how far they are from GRPO's"
    ),
    "rewards": (
        "rewards are replaced before the advantages: each step records their mean beside the graded ones, and the "
        "worker's digest proves that the loss saw the advantages made of them"
    ),
    "refused": (
        "with refill, groups are replaced before training: each step records the prompts that were really trained on"
    ),
}


_NAMES: dict[str, Callable[[str], str]] = {
    "scorer": lambda default: " or ".join(scorer_names()),
    "actuator": lambda default: " or ".join(interchangeable(default)),
}


class ParameterDescription(StrictModel):
    """One parameter."""

    name: str
    takes: str
    """Type and bounds in words."""
    default: bool | int | float | str
    unit: str
    default_of: str
    """Whose default it is: the study's, ours, or not said."""
    about: str


class PolicyDescription(StrictModel):
    """One policy, as `advisor policies show NAME` gives it."""

    name: str
    family: Family
    control: str
    signal: str
    """What it looks at -> what it does."""
    formula: str
    requires: tuple[str, ...]
    """Fields of the step's batch that it reads."""
    parameters: tuple[ParameterDescription, ...]
    source: str
    inert_when: str
    delivery: tuple[str, ...]
    """How it is proved that it acted, one sentence for each way in which it acts."""
    aliases: tuple[str, ...]
    about: str
    """Formula, shapes, source, and how the default differs from the paper."""


def describe(name: str) -> PolicyDescription:
    """The policy of that name; raises InputError as `policies.registry.get` does."""
    cls = get(name)
    return PolicyDescription(
        name=cls.name,
        family=cls.family,
        control=cls.control,
        signal=cls.signal,
        formula=cls.formula,
        requires=cls.requires,
        parameters=tuple(_parameter(key, field) for key, field in cls.Parameters.model_fields.items()),
        source=cls.source,
        inert_when=cls.inert_when,
        delivery=_proofs(cls),
        aliases=cls.aliases,
        about=inspect.getdoc(cls) or "",
    )


def _proofs(cls: type[Policy]) -> tuple[str, ...]:
    """A sentence for each of the trainer's questions that the policy answers."""
    acts = [proof for way, proof in _PROOFS.items() if getattr(cls, way) is not getattr(Policy, way)]
    return tuple(acts) or ("a control: it changes nothing, and its dose must be 0",)


def _parameter(key: str, field: FieldInfo) -> ParameterDescription:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    return ParameterDescription(
        name=key,
        takes=_NAMES[key](field.default) if key in _NAMES else allowed(field),
        default=field.default,
        unit=str(extra.get("unit", "")),
        default_of=str(extra.get("default_of", "")),
        about=str(extra.get("about", field.description or "")),
    )
