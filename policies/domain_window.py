"""The last steps' means of a signal by domain: the memory of every mixing policy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import NonNegativeInt, model_validator

from policies.base import Floats
from policies.errors import InputError
from policies.model import StrictModel


class WindowState(StrictModel):
    """What a `DomainWindow` remembers, as it is saved; T steps, D domains."""

    domains: tuple[str, ...]
    steps: tuple[int, ...]
    means: tuple[tuple[float | None, ...], ...]
    """(T, D)."""
    counts: tuple[tuple[NonNegativeInt, ...], ...]
    """(T, D)."""

    @model_validator(mode="after")
    def _one_table(self) -> "WindowState":
        shapes = [(len(rows), *sorted({len(row) for row in rows})) for rows in (self.means, self.counts)]
        wanted = (len(self.steps), len(self.domains)) if self.steps else (0,)
        if any(shape != wanted for shape in shapes):
            raise ValueError(f"means and counts must have a row for each of {len(self.steps)} steps, a number a domain")
        return self


class DomainWindow:
    """Keeps, for the last `length` steps, each domain's mean of a signal and its number of rollouts.

    The window counts steps, not rows: a domain with a larger share does not forget sooner.
    """

    def __init__(self, domains: Sequence[str], length: int) -> None:
        self.domains = tuple(domains)
        self.length = length
        self._steps: list[int] = []
        self._means: list[list[float | None]] = []
        self._counts: list[list[int]] = []

    def add(self, step: int, signal: Floats, domains: np.ndarray[Any, np.dtype[np.str_]]) -> None:
        """Takes in one step: `signal` (N,) and the domain of each rollout (N,).

        Raises InputError for a domain that the policy was not created with.
        """
        member = np.asarray(domains)[None, :] == np.asarray(self.domains)[:, None]
        if not member.any(axis=0).all():
            unknown = sorted(set(np.asarray(domains).tolist()) - set(self.domains))
            raise InputError(f"step {step} has rollouts of unknown domain {', '.join(unknown)}; known: {self.domains}")
        counts = member.sum(axis=1)
        sums = np.where(member, np.asarray(signal, dtype=np.float64)[None, :], 0.0).sum(axis=1)
        self._steps.append(int(step))
        self._means.append([float(s / n) if n else None for s, n in zip(sums, counts, strict=True)])
        self._counts.append([int(n) for n in counts])
        for rows in (self._steps, self._means, self._counts):
            del rows[: -self.length]

    @property
    def steps(self) -> Floats:
        """(T,) the steps kept, T <= length."""
        return np.asarray(self._steps, dtype=np.float64)

    @property
    def means(self) -> Floats:
        """(T, D) mean of the signal; NaN where a domain had no rollout in a step."""
        rows = [[np.nan if mean is None else mean for mean in row] for row in self._means]
        return np.asarray(rows, dtype=np.float64).reshape(len(rows), len(self.domains))

    @property
    def counts(self) -> Floats:
        """(T, D) rollouts."""
        return np.asarray(self._counts, dtype=np.float64).reshape(len(self._counts), len(self.domains))

    def state_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "domains": list(self.domains),
            "steps": list(self._steps),
            "means": [list(row) for row in self._means],
            "counts": [list(row) for row in self._counts],
        }

    def restore(self, state: WindowState) -> None:
        """Restores `state_dict`, read as its model; raises InputError for a state of other domains."""
        if state.domains != self.domains:
            raise InputError(f"policy state is of domains {list(state.domains)}, this run has {list(self.domains)}")
        self._steps = list(state.steps)
        self._means = [list(row) for row in state.means]
        self._counts = [list(row) for row in state.counts]
