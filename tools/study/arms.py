"""Which arms a study has: the policies that an intent names, with their parameters, and the control."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from policies import registry
from policies.base import PolicySpec
from policies.errors import InputError
from tools.study.faults import Faults
from tools.study.intent import StudyIntent
from tools.study.plan import Arm
from training.trainable import demand_trainable


class Treatment(NamedTuple):
    """One arm beside the control."""

    id: str
    policy: PolicySpec


class Chosen(NamedTuple):
    """What is compared; in a noise study the control is the policy, and the one treatment its other run."""

    control: PolicySpec
    treatments: tuple[Treatment, ...]


def choose_policies(intent: StudyIntent, faults: Faults, notes: list[str]) -> Chosen | None:
    """The policies of an intent, all faults kept; None where there is no control or no treatment."""
    for name in intent.unknown:
        faults.tried(lambda name=name: registry.get(name))  # type: ignore[misc]
    if not intent.treatments:
        if not faults.found:
            faults.add(f"no policy to test; name one of: {', '.join(registry.names())}")
        return None
    for name in sorted(name for name, times in Counter(intent.treatments).items() if times > 1):
        faults.add(f"policy {name!r} is named twice; name it once")
    return _itself(intent, faults) if intent.kind == "noise" else _compared(intent, faults, notes)


def arms_of(chosen: Chosen, intent: StudyIntent, seeds: Sequence[int]) -> tuple[Arm, ...]:
    """The control first. InputError where the other seeds of an unmatched noise study are out of range."""
    control = Arm(id=chosen.control.name, role="control", policy=chosen.control)
    if intent.kind != "noise":
        return (control, *(Arm(id=one.id, role="treatment", policy=one.policy) for one in chosen.treatments))
    if not intent.unmatched:
        return (control, Arm(id=f"{control.id}-replicate=1", role="treatment", policy=control.policy, replicate=1))
    offset = max(seeds) - min(seeds) + 1  # the least one that repeats no seed
    if max(seeds) + offset >= 2**31:
        raise InputError(f"seed {max(seeds)} leaves no room for the other seeds of its pairs; use smaller ones")
    other = Arm(id=f"{control.id}-other-seeds", role="treatment", policy=control.policy, seed_offset=offset)
    return (control, other)


def _itself(intent: StudyIntent, faults: Faults) -> Chosen | None:
    name, *others = dict.fromkeys(intent.treatments)
    if others:
        faults.add(f"a noise study is of one policy, {', '.join(intent.treatments)} are named; plan one for each")
    if intent.control not in (None, name):
        faults.add(f"a noise study compares {name} with itself, not with {intent.control!r}; leave the control out")
    _demand_own_parameters(intent, {name}, faults)
    spec = faults.tried(lambda: _spec(intent, name))
    return None if spec is None else Chosen(spec, (Treatment(name, spec),))


def _compared(intent: StudyIntent, faults: Faults, notes: list[str]) -> Chosen | None:
    named = dict.fromkeys(intent.treatments)
    specs = {name: faults.tried(lambda name=name: _spec(intent, name)) for name in named}  # type: ignore[misc]
    control_name = intent.control or _usual_control([name for name, spec in specs.items() if spec], notes)
    control = faults.tried(lambda: _spec(intent, control_name))
    _demand_own_parameters(intent, {*named, control_name}, faults)
    for name, spec in specs.items():
        if spec is not None and spec == control:
            faults.add(f"treatment {name!r} is the same as its control; name another control or other parameters")
    found = tuple(Treatment(name, spec) for name, spec in specs.items() if spec is not None)
    return Chosen(control, found) if control is not None else None


def _demand_own_parameters(intent: StudyIntent, names: set[str], faults: Faults) -> None:
    for name in sorted(set(intent.params) - names):
        faults.add(f"parameters for {name!r}, which is no arm of this study; leave them out or add the policy")


def _spec(intent: StudyIntent, name: str) -> PolicySpec:
    spec = registry.resolve(name, intent.params.get(name))
    demand_trainable(spec)
    return spec


def _usual_control(names: list[str], notes: list[str]) -> str:
    usual = {registry.get(name).control for name in names}
    if len(usual) > 1:
        notes.append("the treatments' usual controls differ, so all are compared with baseline")
        return "baseline"
    control = usual.pop() if usual else "baseline"
    if names:
        notes.append(f"control: {control}, the usual one for {', '.join(names)}")
    return control
