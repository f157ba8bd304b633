"""Dose arms: one policy at several values of one parameter, one arm for each value."""

from collections.abc import Iterator
from typing import NamedTuple

from tools.plan.intent import DoseAsked, DoseValue
from tools.plan.study_plan import Arm, StudyPlan


class DoseArms(NamedTuple):
    """The arms of a plan that differ in one parameter of one policy."""

    policy: str
    parameter: str
    arms: tuple[tuple[DoseValue, Arm], ...]
    """Value and arm, in increasing order if the values are numbers."""


def dose_arm_id(asked: DoseAsked, value: DoseValue) -> str:
    """Returns the id of a dose arm, such as `tscl-temperature=0.3`."""
    return f"{asked.policy}-{asked.parameter}={dose_text(value)}"


def dose_text(value: DoseValue) -> str:
    """Formats a value the way a person types it: `0.3`, `true`, `short`."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def dose_arms(plan: StudyPlan) -> tuple[DoseArms, ...]:
    """Returns the treatments of the same policy that differ in exactly one parameter, grouped by policy."""
    groups: dict[str, list[Arm]] = {}
    for arm in plan.treatments:
        groups.setdefault(arm.policy.name, []).append(arm)
    return tuple(found for policy, arms in groups.items() for found in _of_policy(policy, arms))


def _of_policy(policy: str, arms: list[Arm]) -> Iterator[DoseArms]:
    names = dict.fromkeys(name for arm in arms for name in arm.policy.parameters)
    values = {name: [arm.policy.parameters.get(name) for arm in arms] for name in names}
    varied = [name for name, found in values.items() if any(one != found[0] for one in found)]
    if len(varied) == 1:
        pairs = [(value, arm) for value, arm in zip(values[varied[0]], arms, strict=True) if value is not None]
        numeric = all(is_number(value) for value, _ in pairs)
        yield DoseArms(policy, varied[0], tuple(sorted(pairs, key=_value) if numeric else pairs))


def is_number(value: DoseValue) -> bool:
    """Returns whether the value is numeric, so that doses can be ordered; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _value(pair: tuple[DoseValue, Arm]) -> float:
    return float(pair[0])
