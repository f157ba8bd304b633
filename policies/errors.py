"""Every fault that a person can cause or mend, as one tree.

A message is one line: what is wrong, the offending value, what to do next. The terminal prints it and exits with
`exit_code`; anything outside this tree is a bug. It lives in the lowest package because every package raises it.
"""

from typing import ClassVar


class AdvisorError(Exception):
    """A known failure (exit code 1)."""

    exit_code: ClassVar[int] = 1


class InputError(AdvisorError, ValueError):
    """The person's input cannot be used: unknown name, value out of range, wrong file (exit code 2)."""

    exit_code: ClassVar[int] = 2


class PolicyError(InputError):
    """A policy's code failed in a run, or answered what cannot be trained on: a fault of the policy, no outcome."""


class RefusedError(AdvisorError):
    """A gate said no: not approved, no terminal and no `--yes`, invalid data (exit code 3)."""

    exit_code: ClassVar[int] = 3


class BudgetError(AdvisorError):
    """The budget cannot pay for what was asked (exit code 4)."""

    exit_code: ClassVar[int] = 4


class TrainingFailedError(AdvisorError):
    """Training cannot go on: it diverged or collapsed, or the algorithm ended it. An outcome of its arm, never retried.

    A policy may raise it inside a run.
    """
