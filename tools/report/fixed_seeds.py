"""The warning over checks that know only a fixed number of seeds."""

from tools.report.facts import Facts


def fixed_seeds_warning(one: Facts) -> str:
    """Empty where the number of seeds was fixed; a sentence where looks decided it."""
    if not one.comparison.repeated:
        return ""
    return (
        "Seeds were added look by look, and the verdict's intervals allow for that; what stands beside them here takes "
        f"{one.pairs} as fixed beforehand and is too narrow."
    )
