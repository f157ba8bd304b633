"""Graders by name: the same function marks an answer in training and in scoring.

A grader takes (the model's text, the true answer) and returns a `Grade`. A text that it cannot read is wrong, with the
reason kept; a *true answer* that it cannot read is a fault of the data and raises `GradingError`, so that a broken
benchmark never passes as a bad model. A new grader is one decorated function.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from policies.errors import AdvisorError, InputError
from training.benchmarks.catalog import nearest

GRADING_VERSION = 1
"""Raised whenever a grader may mark an answer differently; part of the harness fingerprint."""


class GradingError(AdvisorError):
    """The benchmark or training row itself cannot be graded."""


class Grade(NamedTuple):
    """How one answer was marked."""

    right: bool
    extracted: str | None
    """What was read from the text; None where nothing could be."""
    reason: str
    """Why it is wrong, or could not be read; empty when right."""


Grader = Callable[[str, str], Grade]
_GRADERS: dict[str, Grader] = {}


def register(name: str) -> Callable[[Grader], Grader]:
    """Makes a function known as the grader `name`."""

    def keep(function: Grader) -> Grader:
        _GRADERS[name] = function
        return function

    return keep


def grader(name: str) -> Grader:
    """The grader of that name; InputError names the nearest ones."""
    if name not in _GRADERS:
        raise InputError(f"unknown grader {name!r}; try one of: {nearest(name, tuple(_GRADERS))}")
    return _GRADERS[name]


def _compare(extracted: str | None, right: bool, truth: str, what: str) -> Grade:
    if extracted is None:
        return Grade(False, None, f"no {what} in the answer")
    return Grade(right, extracted, "" if right else f"expected {truth}")


def _number(text: str) -> Fraction | None:
    plain = text.strip().replace(",", "").removesuffix(".")
    return Fraction(plain) if re.fullmatch(r"[+-]?\d+(\.\d+)?(/0*[1-9]\d*)?", plain, re.ASCII) else None


@register("number")
def grade_number(text: str, truth: str) -> Grade:
    """Exact numbers: integers, decimals and fractions compare by value (`0.5` is `1/2`)."""
    expected = _number(truth)
    if expected is None:
        raise GradingError(f"the true answer {truth!r} is no number; the benchmark or training row is broken")
    value = _number(text)
    return _compare(None if value is None else str(value), value == expected, truth, "number")


@register("choice")
def grade_choice(text: str, truth: str) -> Grade:
    """One label, a letter or digit, bare or as in `(B)` or `B.`; the case counts: options may be names."""
    if not re.fullmatch(r"[A-Za-z0-9]", truth, re.ASCII):
        raise GradingError(f"the true answer {truth!r} is no label; the benchmark or training row is broken")
    found = re.fullmatch(r"\(?([A-Za-z0-9])[).]?", text.strip(), re.ASCII)
    label = found.group(1) if found else None
    return _compare(label, label == truth, truth, "single label")


@register("knights")
def grade_knights(text: str, truth: str) -> Grade:
    """Knights and knaves: `t` (tells the truth) or `l` (lies) for each person in order; all must be right."""
    if not re.fullmatch(r"[tl]+", truth):
        raise GradingError(
            f"the true answer {truth!r} is no string of t and l; the benchmark or training row is broken"
        )
    roles = "".join(text.split())
    found = roles if re.fullmatch(rf"[tl]{{{len(truth)}}}", roles) else None
    return _compare(found, found == truth, truth, f"{len(truth)} roles (t or l)")
