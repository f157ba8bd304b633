"""A policy whose answers are checked: the same checks in a run, in simulations and in the contract test.

Shapes: N rollouts in a step, L response tokens, D domains.
"""

import json
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from policies.apportion import checked_shares
from policies.base import Floats, Policy, RolloutBatch
from policies.errors import InputError, PolicyError, TrainingFailedError
from policies.model import StrictModel, describe_faults

T = TypeVar("T")
Shapes = tuple[tuple[int, ...], ...]

LARGEST = float(np.finfo(np.float32).max)
"""The loss computes in float32: what is larger would be infinite there."""


class PolicyState(StrictModel):
    """A policy's state in a checkpoint, with whose it is."""

    version: Literal[1] = 1
    policy: str
    parameters: dict[str, bool | int | float | str]
    domains: tuple[str, ...]
    seed: int
    state: dict[str, Any] = Field(default_factory=dict)


class CheckedPolicy:
    """Asks `policy`, and raises PolicyError, one line with policy, question and step, for an answer of no use.

    It is shown read-only batches. A policy that fails where its batch holds NaN or infinity is not to blame: that is a
    TrainingFailedError.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def shares(self, step: int) -> dict[str, float] | None:
        """Each domain's share of this step's prompts, or None."""
        shares = self._asked("shares", step, lambda: self.policy.shares(step))
        if shares is None:
            return None
        where = f"policy {self.policy.name} gave shares at step {step}"
        if not isinstance(shares, Mapping) or not all(_is_number(share) for share in shares.values()):
            raise PolicyError(f"{where} that are no mapping of domains to numbers: {_short(shares)}")
        if set(shares) != set(self.policy.domains):
            raise PolicyError(f"{where} of {_short(list(shares))}; they must be of {', '.join(self.policy.domains)}")
        try:
            checked_shares(shares)
        except InputError as error:
            raise PolicyError(f"{where}: {error}") from error
        return {str(name): float(share) for name, share in shares.items()}

    def refused(self, batch: RolloutBatch, step: int) -> NDArray[np.bool_] | None:
        """(N,) rollouts, by whole groups, that fresh prompts replace, or None."""
        batch = batch.read_only()
        refused = self._array("refused", batch, step, lambda: self.policy.refused(batch, step), (batch.rewards.shape,))
        if refused is None:
            return None
        _, members = np.unique(batch.groups, return_inverse=True)
        share = np.bincount(members, weights=refused) / np.bincount(members)
        if refused.dtype != np.bool_ or ((share > 0) & (share < 1)).any():
            raise PolicyError(
                f"policy {self.policy.name} refused parts of groups at step {step}, or not by true and false"
            )
        return refused

    def rewards(self, batch: RolloutBatch, step: int) -> Floats | None:
        """(N,) rewards in [0, 1] to train on, or None; `batch` is shown without its advantages."""
        if type(self.policy).rewards is Policy.rewards:
            return None
        blind = batch._replace(advantages=np.zeros_like(batch.advantages)).read_only()
        return self._array(
            "rewards", blind, step, lambda: self.policy.rewards(blind, step), (batch.rewards.shape,), low=0.0, high=1.0
        )

    def advantages(self, batch: RolloutBatch, step: int) -> Floats | None:
        """(N, L) advantages to train on, 0 where masked, or None."""
        batch = batch.read_only()
        advantages = self._array(
            "advantages", batch, step, lambda: self.policy.advantages(batch, step), (batch.mask.shape,)
        )
        return None if advantages is None else np.where(batch.mask, advantages, np.zeros((), advantages.dtype))

    def weights(self, batch: RolloutBatch, step: int) -> Floats | None:
        """(N,) or (N, L) loss weights >= 0, or None."""
        batch, shapes = batch.read_only(), (batch.mask.shape[:1], batch.mask.shape)
        return self._array("weights", batch, step, lambda: self.policy.weights(batch, step), shapes, low=0.0)

    def observe(self, batch: RolloutBatch, step: int) -> None:
        """Shows the policy the step."""
        shown = batch.read_only()
        self._asked("observe", step, lambda: self.policy.observe(shown, step), shown)

    def state_dict(self) -> dict[str, Any]:
        """The policy's state and whose it is, as plain JSON."""
        state = self._asked("state_dict", None, self.policy.state_dict)
        try:
            written = json.loads(json.dumps(state, allow_nan=False))
            return self._stamped(written).model_dump(mode="json")
        except (TypeError, ValueError) as error:
            said = describe_faults(error) if isinstance(error, ValidationError) else error
            raise PolicyError(f"policy {self.policy.name}: its state is no plain JSON object: {said}") from error

    def load_state_dict(self, stamped: object) -> None:
        """Restores `state_dict`; raises PolicyError for a state of another policy, version or run, or none at all."""
        try:
            given = PolicyState.model_validate(stamped)
        except ValidationError as error:
            said = describe_faults(error)
            raise PolicyError(
                f"policy {self.policy.name}: its saved state cannot be read: {said}; start the run anew"
            ) from error
        ours = self._stamped({})
        apart = [
            f"{key} {_short(getattr(given, key))} instead of {_short(getattr(ours, key))}"
            for key in ("policy", "parameters", "domains", "seed")
            if getattr(given, key) != getattr(ours, key)
        ]
        if apart:
            raise PolicyError(
                f"policy {self.policy.name}: the saved state is of {'; '.join(apart)}: start the run anew"
            )
        try:
            self.policy.load_state_dict(given.state)
        except Exception as error:
            raise PolicyError(
                f"policy {self.policy.name} cannot continue from its saved state: {_said(error)}; start the run anew"
            ) from error

    def _stamped(self, state: Any) -> PolicyState:
        return PolicyState(
            policy=self.policy.name,
            parameters=self.policy.parameters.model_dump(),
            domains=self.policy.domains,
            seed=self.policy.seed,
            state=state,
        )

    def _asked(self, what: str, step: int | None, question: Callable[[], T], batch: RolloutBatch | None = None) -> T:
        try:
            return question()
        except TrainingFailedError:
            raise
        except Exception as error:
            self._blame_training(batch, step)
            when = "" if step is None else f" at step {step}"
            raise PolicyError(f"policy {self.policy.name} failed in {what}{when}: {_said(error)}") from error

    def _array(
        self,
        what: str,
        batch: RolloutBatch,
        step: int,
        question: Callable[[], NDArray[Any] | None],
        shapes: Shapes,
        low: float = -LARGEST,
        high: float = LARGEST,
    ) -> NDArray[Any] | None:
        values = self._asked(what, step, question, batch)
        if values is None:
            return None
        where = f"policy {self.policy.name} gave {what}"
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiub":
            kind = f"array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
            raise PolicyError(f"{where} as {kind} at step {step}, not as a numpy array of numbers")
        if values.shape not in shapes:
            wanted = " or ".join(map(str, dict.fromkeys(shapes)))
            raise PolicyError(f"{where} of shape {values.shape} at step {step}, not {wanted}")
        if values.size:
            # one pass for the limits and for finiteness: a NaN is the minimum wherever it stands
            smallest, largest = float(values.min()), float(values.max())
            if not (low <= smallest and largest <= high):
                self._blame_training(batch, step)
                raise PolicyError(
                    f"{where} from {smallest:g} to {largest:g} at step {step}; they must be finite and in "
                    f"[{low:g}, {high:g}]"
                )
        return values

    def _blame_training(self, batch: RolloutBatch | None, step: int | None) -> None:
        for field in ("rewards", "advantages", "log_probs") if batch is not None else ():
            if not np.isfinite(getattr(batch, field)).all():
                raise TrainingFailedError(f"at step {step} {field} hold NaN or infinity: training has diverged")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _said(error: BaseException) -> str:
    """`ZeroDivisionError: division by zero (mine.py, line 30)`, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}, line {frames[-1].lineno})" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300] + place


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 100 else text[:97] + "..."
