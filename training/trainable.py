"""What this version's trainer cannot do for a policy, said before anything runs."""

from policies.base import PolicySpec
from policies.errors import InputError
from policies.registry import create, get
from training.data.training_files import domains


def demand_trainable(policy: PolicySpec, data: str = "") -> None:
    """Raises InputError for a policy that replaces refused groups by fresh prompts, or cannot start on this data.

    The first would roll out more than its control: no matched pair, and nothing here matches runs by total rollouts or
    GPU-hours instead. `data`: of the recipe; "": not known yet.
    """
    parameters = get(policy.name).Parameters.model_validate(policy.parameters)
    if parameters.refill_rounds:
        raise InputError(
            f"policy {policy} would roll out up to {1 + parameters.refill_rounds} times as much as its control, and "
            "this version cannot match runs by total rollouts or GPU-hours; leave refill=false"
        )
    if data:
        create(policy, sorted(domains(data)), seed=0)
