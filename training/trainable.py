"""Checks, before anything runs, that this version's trainer supports a policy."""

from policies.base import PolicySpec
from policies.errors import InputError
from policies.registry import create, get
from training.data.training_files import domains


def demand_trainable(policy: PolicySpec, data: str = "") -> None:
    """Raises InputError for a policy that replaces rejected groups with fresh prompts, or cannot start on this data.

    The first would have more rollouts than its control and thus no matched pair; matching runs by total rollouts or
    GPU-hours is not supported. `data`: of the recipe; "": not yet known.
    """
    parameters = get(policy.name).Parameters.model_validate(policy.parameters)
    if parameters.refill_rounds:
        raise InputError(
            f"policy {policy} could use up to {1 + parameters.refill_rounds} times the rollouts of its control, but "
            "this version cannot match runs by total rollouts or GPU-hours; keep refill=false"
        )
    if data:
        create(policy, sorted(domains(data)), seed=0)
