"""What a plan keeps of the pilot that it was made after."""

from policies.model import StrictModel
from tools.statistics.priors import Prior


class PilotSource(StrictModel):
    """Enough to tell what the plan can detect without the pilot at hand, and to keep the pilot's seeds out of it."""

    study: str
    """The pilot's id."""
    plan_hash: str
    seeds: tuple[int, ...]
    """Of all its runs; none of them may be a seed of the plan."""
    prior: Prior
    """The spread that it found."""
