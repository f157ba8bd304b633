"""What an LLM may say about a question, and how it is checked before it becomes a StudyIntent.

The form holds whitelisted fields only. Names are checked against the registry exactly as typed ones are; a number is
taken only when the question states it or the rule-based reader finds it too.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from advisor.reading.numbers import NUMBER, parse
from advisor.reading.parameters import parameters_of
from advisor.reading.text import Text
from advisor.reading.vocabulary import known_names, nearest
from policies.errors import InputError
from tools.study.intent import Count, IntentKind, StudyIntent

Name = Annotated[str, Field(max_length=60)]
Reason = Literal["seed", "picking_summary", "optional_stopping", "unmatched", "fabrication", "out_of_scope"]
Summary = Literal["domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science"]
_NUMBERS = ("seeds", "steps", "budget_gpu_hours", "max_runs", "confidence", "sesoi")
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_SPACED = "questions state their numbers in words or digits"


class ParameterReply(BaseModel):
    """One parameter that the question states."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    policy: Name
    parameter: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=40)]
    value: bool | int | float | Name


class IntentReply(BaseModel):
    """The form that the LLM fills in."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    kind: IntentKind
    treatments: Annotated[list[Name], Field(max_length=20)] = []
    control: Name | None = None
    parameters: Annotated[list[ParameterReply], Field(max_length=20)] = []
    direction: Literal["better", "worse"] | None = None
    seeds: Count | None = None
    seed_list: Annotated[list[Count], Field(max_length=1000)] | None = None
    steps: Count | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    recipe: Name | None = None
    budget_gpu_hours: float | None = None
    max_runs: Count | None = None
    confidence: float | None = None
    sesoi: float | None = None
    primary_summary: Summary | None = None
    reason: Reason | None = None
    unknown: Annotated[list[Name], Field(max_length=10)] = []
    message: Annotated[str, Field(max_length=400)] | None = None


def faults_of(reply: IntentReply) -> list[str]:
    """Everything in a reply that cannot be true of this installation, one line each; sent back for repair."""
    faults = [fault for name in reply.treatments for fault in _policy_faults("treatments", name)]
    if reply.control is not None:
        faults += _policy_faults("control", reply.control)
    if reply.kind == "compare" and not reply.treatments:
        faults.append("treatments: a comparison names at least one policy, else kind is clarify")
    if reply.kind == "compare" and reply.control in reply.treatments:
        faults.append(f"control: {reply.control} is also a treatment; a policy against itself is kind noise")
    for parameter in reply.parameters:
        faults += _parameter_faults(parameter, reply)
    if reply.model is not None and (not _MODEL.fullmatch(reply.model) or ".." in reply.model):
        faults.append(f"model: {reply.model!r} is no Hugging Face id (owner/name)")
    if reply.recipe is not None:
        faults += _recipe_faults(reply.recipe)
    if reply.kind == "refuse" and reply.reason is None:
        faults.append("reason: say why it is refused")
    return faults


def _policy_faults(field: str, name: str) -> list[str]:
    if name in known_names():
        return []
    hint = f"; did you mean {' or '.join(near)}" if (near := nearest(name)) else f"; known: {', '.join(known_names())}"
    return [f"{field}: no policy is called {name!r}{hint} (a name nobody knows goes into unknown)"]


def _parameter_faults(given: ParameterReply, reply: IntentReply) -> list[str]:
    if given.policy not in {*reply.treatments, reply.control}:
        return [f"parameters: {given.policy!r} is not part of the comparison"]
    takes = parameters_of(given.policy) if given.policy in known_names() else ()
    if given.parameter not in takes:
        return [f"parameters: {given.policy} has no {given.parameter!r} (it takes {', '.join(takes) or 'none'})"]
    from policies import registry

    try:
        if given.policy in registry.names():
            registry.resolve(given.policy, {given.parameter: given.value})
    except InputError as error:
        return [f"parameters: {error}"]
    return []


def _recipe_faults(name: str) -> list[str]:
    from training.recipe import recipe_names

    return [] if name in recipe_names() else [f"recipe: {name!r} is none of {', '.join(recipe_names())}"]


def to_intent(question: str, reply: IntentReply, rules: StudyIntent) -> StudyIntent:
    """A checked reply as an intent. `rules` is what the reader made of the same question."""
    notes: list[str] = []
    values: dict[str, Any] = reply.model_dump(exclude={"parameters", "message", "unknown"})
    stated = _stated_numbers(question)
    for field in _NUMBERS:
        value = values[field]
        if value is not None and value != getattr(rules, field) and not _is_stated(value, stated):
            notes.append(f"{field} {value:g} was proposed by the LLM, but {_SPACED}: left out")
            values[field] = getattr(rules, field)
    listed = reply.seed_list
    if listed is not None and tuple(listed) != rules.seed_list and not all(_is_stated(seed, stated) for seed in listed):
        notes.append("a seed list was proposed by the LLM that the question does not state: left out")
        values["seed_list"] = rules.seed_list
    params: dict[str, dict[str, bool | int | float | str]] = {}
    for given in reply.parameters:
        if (
            _parameter_is_stated(given, question, stated)
            or rules.params.get(given.policy, {}).get(given.parameter) == given.value
        ):
            params.setdefault(given.policy, {})[given.parameter] = given.value
        else:
            notes.append(f"{given.policy}.{given.parameter} was proposed by the LLM, but {_SPACED}: left out")
    if rules.kind == reply.kind and rules.treatments and set(rules.treatments) != set(reply.treatments):
        read, ruled = ", ".join(reply.treatments), ", ".join(rules.treatments)
        notes.append(f"the LLM read the treatments as {read}; the rules read {ruled}")
    unknown = tuple(name for name in reply.unknown if name.lower() in question.lower() and name not in known_names())
    return StudyIntent.model_validate(
        values
        | {"question": question, "params": params, "unknown": unknown, "read_by": "llm", "notes": tuple(notes)}
        | {"message": _message(question, reply, rules)}
    )


def _message(question: str, reply: IntentReply, rules: StudyIntent) -> str | None:
    """What the person is told: the reader's own words where it agrees, else the LLM's if they carry no number."""
    if reply.kind not in {"refuse", "clarify"}:
        return None
    if rules.kind == reply.kind:
        return rules.message
    words = " ".join((reply.message or "").split())
    if words and not re.search(r"\d", words):
        return words
    return (
        "which policy should be compared with which control?"
        if reply.kind == "clarify"
        else "this is not a study that can be run here"
    )


def _stated_numbers(question: str) -> frozenset[float]:
    found = {round(parse(match.group()), 9) for match in re.finditer(NUMBER, Text(question).lower)}
    return frozenset(
        found | {round(value / 100, 9) for value in found} | {round(1 - value / 100, 9) for value in found}
    )


def _is_stated(value: float, stated: frozenset[float]) -> bool:
    return round(value, 9) in stated


def _parameter_is_stated(given: ParameterReply, question: str, stated: frozenset[float]) -> bool:
    if isinstance(given.value, bool):
        return given.parameter.replace("_", " ") in question.lower().replace("_", " ")
    if isinstance(given.value, str):
        return given.value.lower() in question.lower()
    return _is_stated(given.value, stated)
