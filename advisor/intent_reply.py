"""What an LLM may say about a question, and how it is checked before it becomes a StudyIntent.

The form holds whitelisted fields only. Names are checked against the registry exactly as typed ones are; what the
rule-based reader found in the question stands, and the LLM adds what it left open.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from advisor.reader import unread_numbers
from advisor.reading.parameters import parameters_of
from advisor.reading.vocabulary import known_names
from policies.errors import InputError
from tools.plan.intent import Count, DoseAsked, IntentKind, StudyIntent
from training.support.nearest import nearest

Name = Annotated[str, Field(max_length=60)]
Reason = Literal["seed", "picking_summary", "optional_stopping", "unmatched", "fabrication", "out_of_scope"]
Summary = Literal["domain_balanced_12", "flat_12", "math_heavy_6", "no_math", "no_logic", "no_science"]
_NUMBERS = ("seeds", "steps", "budget_gpu_hours", "max_runs", "confidence", "sesoi")
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_STUDIES = {"compare", "noise", "pilot", "dose", "power"}
"""Kinds that the rules return only when they understood the question."""
_COMPARING = {"compare", "dose", "pilot"}


class ParameterReply(BaseModel):
    """One parameter that the question states."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    policy: Name
    parameter: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=40)]
    value: bool | int | float | Name


class DoseReply(BaseModel):
    """One policy at several strengths."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    policy: Name
    parameter: Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]*$", max_length=40)]
    values: Annotated[list[bool | int | float | Name], Field(min_length=2, max_length=10)]


class IntentReply(BaseModel):
    """The form that the LLM fills in."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    kind: IntentKind
    treatments: Annotated[list[Name], Field(max_length=20)] = []
    control: Name | None = None
    parameters: Annotated[list[ParameterReply], Field(max_length=20)] = []
    doses: Annotated[list[DoseReply], Field(max_length=5)] = []
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
    if reply.kind in _COMPARING and not reply.treatments:
        faults.append("treatments: a comparison names at least one policy, else kind is clarify")
    if reply.kind == "noise" and len(reply.treatments) > 1:
        faults.append("treatments: a noise study is of one policy")
    if reply.kind == "dose" and not reply.doses:
        faults.append("doses: a dose study gives the values of one parameter of a policy, else kind is compare")
    if reply.kind in _COMPARING and reply.control in reply.treatments:
        faults.append(f"control: {reply.control} is also a treatment; a policy against itself is kind noise")
    strengths = [
        ParameterReply(policy=dose.policy, parameter=dose.parameter, value=value)
        for dose in reply.doses
        for value in dose.values
    ]
    for parameter in (*reply.parameters, *strengths):
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
    hint = (
        f"; did you mean {' or '.join(near)}"
        if (near := nearest(name, known_names()))
        else f"; known: {', '.join(known_names())}"
    )
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
    """A checked reply as an intent. `rules` is what the reader made of the same question.

    What the rules read stands: the LLM adds what they left open. A number, a model or a recipe of its own counts only
    when the question states it and the rules made nothing of it, so that no number can change its meaning.
    """
    notes = list(rules.notes)
    values: dict[str, Any] = reply.model_dump(exclude={"parameters", "doses", "message", "unknown"})
    free = _with_shares(unread_numbers(question))
    for field in _NUMBERS:
        values[field] = _settled(field, values[field], getattr(rules, field), lambda value: _is_in(value, free), notes)
    listed = None if reply.seed_list is None else tuple(reply.seed_list)
    values["seed_list"] = _settled(
        "seed_list", listed, rules.seed_list, lambda seeds: all(_is_in(seed, free) for seed in seeds), notes
    )
    for field in ("model", "recipe"):
        values[field] = _settled(field, values[field], getattr(rules, field), lambda name: _says(question, name), notes)
    for field in ("primary_summary", "direction"):
        values[field] = getattr(rules, field) or values[field]
    if rules.kind in _STUDIES and reply.kind in _COMPARING:
        values |= _as_ruled(reply, rules, notes)
    doses = _doses(reply, rules, question, free, notes)
    if values["kind"] in ("compare", "dose"):
        values["kind"] = "dose" if doses else "compare"
    params = {name: dict(given) for name, given in rules.params.items()}
    for given in reply.parameters:
        ruled = rules.params.get(given.policy, {}).get(given.parameter)
        name = f"{given.policy}.{given.parameter}"
        stated = partial(_parameter_is_stated, given.parameter, question, free)
        value = _settled(name, given.value, ruled, stated, notes)
        if value is not None:
            params.setdefault(given.policy, {})[given.parameter] = value
    unknown = tuple(name for name in reply.unknown if name.lower() in question.lower() and name not in known_names())
    return StudyIntent.model_validate(
        values
        | {"question": question, "params": params, "unknown": unknown, "read_by": "llm", "notes": tuple(notes)}
        | {"message": _message(reply, rules), "sequential": rules.sequential, "min_seeds": rules.min_seeds}
        | {"doses": doses, "unmatched": rules.unmatched and values["kind"] == "noise"}
    )


def _doses(
    reply: IntentReply, rules: StudyIntent, question: str, free: frozenset[float], notes: list[str]
) -> tuple[DoseAsked, ...]:
    """The strengths that the rules read, else the LLM's where the question states every value."""
    if rules.doses or reply.kind == "noise":
        return rules.doses
    if rules.kind == "clarify":  # the rules saw the values and made no arms of them
        free |= _with_shares(frozenset(map(float, re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", question))))
    found = []
    for dose in reply.doses:
        if all(_parameter_is_stated(dose.parameter, question, free, value) for value in dose.values):
            found.append(DoseAsked(policy=dose.policy, parameter=dose.parameter, values=tuple(dose.values)))
        else:
            told = ", ".join(map(str, dose.values))
            notes.append(
                f"{dose.policy}.{dose.parameter} at {told} was proposed by the LLM, but the question does not state "
                "every value: left out"
            )
    return tuple(found)


def _settled(name: str, proposed: Any, ruled: Any, stated: Callable[[Any], bool], notes: list[str]) -> Any:
    """The rules' value where they have one, else the LLM's where the question states it; a note says what was left."""
    if proposed is None or proposed == ruled:
        return ruled
    if ruled is not None:
        notes.append(f"the LLM read {name} as {proposed}; the rules read {ruled}, which is used")
        return ruled
    if stated(proposed):
        return proposed
    notes.append(f"{name} {proposed} was proposed by the LLM, but the question does not state it: left out")
    return None


def _as_ruled(reply: IntentReply, rules: StudyIntent, notes: list[str]) -> dict[str, Any]:
    """The policies that the rules found named in the question, whatever else the LLM made of it."""
    kept = {"kind": rules.kind, "treatments": rules.treatments, "control": rules.control}
    same_kind = rules.kind == reply.kind or {rules.kind, reply.kind} == {"compare", "dose"}
    if not same_kind or (set(rules.treatments), rules.control) != (set(reply.treatments), reply.control):
        read = f"{', '.join(reply.treatments)} against {reply.control or 'the usual control'}"
        ruled = f"{', '.join(rules.treatments)} against {rules.control}" if rules.kind in _COMPARING else rules.kind
        notes.append(f"the LLM read {read}; the rules read {ruled}, which is used")
    return kept


def _message(reply: IntentReply, rules: StudyIntent) -> str | None:
    """What the person is told: the reader's own words where it agrees, else the LLM's, marked, if without a number."""
    if reply.kind not in {"refuse", "clarify"}:
        return None
    if rules.kind == reply.kind:
        return rules.message
    words = " ".join((reply.message or "").split())
    if words and not re.search(r"\d", words):
        return f'the LLM says: "{words}"'
    return (
        "which policy should be compared with which control?"
        if reply.kind == "clarify"
        else "this is not a study that can be run here"
    )


def _with_shares(numbers: frozenset[float]) -> frozenset[float]:
    """The numbers, and what they mean in per cent, also of what is left to the whole."""
    found = {round(value, 9) for value in numbers}
    return frozenset(
        found | {round(value / 100, 9) for value in found} | {round(1 - value / 100, 9) for value in found}
    )


def _is_in(value: float, numbers: frozenset[float]) -> bool:
    return round(value, 9) in numbers


def _says(question: str, name: str) -> bool:
    """Whether the question holds the last part of a name, spelled in any way."""
    spelled, wanted = (re.sub(r"[^a-z0-9]", "", text.lower()) for text in (question, name.rpartition("/")[2]))
    return bool(wanted) and wanted in spelled


def _parameter_is_stated(name: str, question: str, free: frozenset[float], value: object) -> bool:
    if isinstance(value, bool):
        return name.replace("_", " ") in question.lower().replace("_", " ")
    if isinstance(value, int | float):
        return _is_in(value, free)
    return str(value).lower() in question.lower()
