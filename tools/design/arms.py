"""The arms of a study: the policies that an intent names, with their parameters, and the control."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from policies import registry
from policies.base import PolicySpec
from policies.errors import InputError
from tools.design.faults import Faults
from tools.plan.doses import dose_arm_id, dose_text
from tools.plan.intent import DoseValue, StudyIntent
from tools.plan.study_plan import Arm
from training.trainable import demand_trainable


class Treatment(NamedTuple):
    """One arm other than the control."""

    id: str
    policy: PolicySpec


class Chosen(NamedTuple):
    """The policies to compare; in a noise study, the policy is the control and its second run the only treatment."""

    control: PolicySpec
    treatments: tuple[Treatment, ...]


def choose_policies(intent: StudyIntent, faults: Faults, notes: list[str]) -> Chosen | None:
    """Returns the policies of an intent, collecting all faults; None if there is no control or no treatment."""
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
    """Returns the arms, the control first; InputError if the second seeds of an unmatched noise study are too large."""
    control = Arm(id=chosen.control.name, role="control", policy=chosen.control)
    if intent.kind != "noise":
        return (control, *(Arm(id=one.id, role="treatment", policy=one.policy) for one in chosen.treatments))
    if not intent.unmatched:
        return (control, Arm(id=f"{control.id}-replicate=1", role="treatment", policy=control.policy, replicate=1))
    offset = max(seeds) - min(seeds) + 1  # the smallest one that repeats no seed
    if max(seeds) + offset >= 2**31:
        raise InputError(f"seed {max(seeds)} is too large for the second seeds of the pairs; use smaller seeds")
    other = Arm(id=f"{control.id}-other-seeds", role="treatment", policy=control.policy, seed_offset=offset)
    return (control, other)


def _itself(intent: StudyIntent, faults: Faults) -> Chosen | None:
    name, *others = dict.fromkeys(intent.treatments)
    if others:
        faults.add(f"a noise study has one policy, not {', '.join(intent.treatments)}; plan one study for each")
    if intent.control not in (None, name):
        faults.add(f"a noise study compares {name} with itself, not with {intent.control!r}; omit the control")
    _demand_own_parameters(intent, {name}, faults)
    spec = faults.tried(lambda: _spec(intent, name))
    return None if spec is None else Chosen(spec, (Treatment(name, spec),))


def _compared(intent: StudyIntent, faults: Faults, notes: list[str]) -> Chosen | None:
    named = dict.fromkeys(intent.treatments)
    found = [one for name in named for one in _strengths(intent, name, faults)]
    control_name = intent.control or _usual_control(list(dict.fromkeys(one.policy.name for one in found)), notes)
    control = faults.tried(lambda: _spec(intent, control_name))
    _demand_own_parameters(intent, {*named, control_name}, faults)
    for one in found:
        if one.policy == control:
            faults.add(f"treatment {one.id!r} is identical to its control; name another control or other parameters")
    return Chosen(control, tuple(found)) if control is not None else None


def _strengths(intent: StudyIntent, name: str, faults: Faults) -> Iterator[Treatment]:
    """The arms of one policy: one, or one for each requested value; faults are collected."""
    asked = [dose for dose in intent.doses if dose.policy == name]
    if not asked:
        spec = faults.tried(lambda: _spec(intent, name))
        if spec is not None:
            yield Treatment(name, spec)
        return
    if len(asked) > 1:
        several = ", ".join(dose.parameter for dose in asked)
        faults.add(f"{name} has several values each of {several}; a dose study varies one parameter of a policy")
        return
    dose = asked[0]
    times = Counter(dose.values)
    twice = [value for value, often in times.items() if often > 1]
    if twice:
        faults.add(f"{name}.{dose.parameter} lists {dose_text(twice[0])} twice; name each value once")
    if len(times) < 2:
        faults.add(
            f"{name}.{dose.parameter} has one value, and a dose study needs two or more; for a single strength, write "
            f"{name}({dose.parameter}={dose_text(dose.values[0])})"
        )
    if dose.parameter in intent.params.get(name, {}):
        faults.add(f"{name}.{dose.parameter} is given both one value and several; give only one of the two")
    for value in times:
        spec = faults.tried(lambda value=value: _spec(intent, name, {dose.parameter: value}))  # type: ignore[misc]
        if spec is not None:
            yield Treatment(dose_arm_id(dose, value), spec)


def _demand_own_parameters(intent: StudyIntent, names: set[str], faults: Faults) -> None:
    for name in sorted({*intent.params, *(dose.policy for dose in intent.doses)} - names):
        faults.add(f"parameters for {name!r}, which is not an arm of this study; omit them or add the policy")


def _spec(intent: StudyIntent, name: str, strength: dict[str, DoseValue] | None = None) -> PolicySpec:
    spec = registry.resolve(name, {**intent.params.get(name, {}), **(strength or {})})
    demand_trainable(spec)
    return spec


def _usual_control(names: list[str], notes: list[str]) -> str:
    usual = {registry.get(name).control for name in names}
    if len(usual) > 1:
        notes.append("the treatments have different default controls, so all are compared with baseline")
        return "baseline"
    control = usual.pop() if usual else "baseline"
    if names:
        notes.append(f"control: {control} (default for {', '.join(names)})")
    return control
