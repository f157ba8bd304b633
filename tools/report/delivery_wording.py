"""Sentences about delivery: whether the treatment happened."""

from tools.report import numbers
from tools.statistics.verdict_model import Comparison
from tools.study.delivery_model import Delivery

_KINDS = {
    "weights": "the loss weights of rollouts that carry gradient",
    "mixture": "the domain shares of the prompts rolled out",
    "none": "weights and domain shares",
}


def delivery(comparison: Comparison) -> str:
    """Status, dose, minimum, and whether the worker that computed the loss confirmed it."""
    record = comparison.delivery
    if record.status == "not_recorded":
        return (
            "Delivery: not recorded. Until the realised shares or weights are shown to differ from those of "
            f"{comparison.control}, read this as a comparison of two labels."
        )
    return " ".join(part for part in (_status(comparison), _confirmed(record), _control(comparison)) if part)


def delivery_short(record: Delivery) -> str:
    """For the verdict paragraph: `delivered (dose 0.21, minimum 0.05)`."""
    names = {"delivered": "delivered", "weak": "weak", "not_delivered": "not delivered", "not_recorded": "not recorded"}
    if record.dose is None:
        return names[record.status]
    minimum = "" if record.minimum_dose is None else f", minimum {numbers.fixed(record.minimum_dose)}"
    return f"{names[record.status]} (dose {numbers.fixed(record.dose, 3)}{minimum})"


def _status(comparison: Comparison) -> str:
    record = comparison.delivery
    words = {"delivered": "delivered", "weak": "delivered at a weak dose", "not_delivered": "not delivered"}[
        record.status
    ]
    if record.dose is None:
        return f"Delivery: {words}."
    steps = "" if record.steps is None else f", mean over {record.steps:,} steps"
    seeds = f" and {numbers.counted(len(record.by_seed), 'seed')}" if record.by_seed and steps else ""
    minimum = "" if record.minimum_dose is None else f"; the plan's minimum is {numbers.fixed(record.minimum_dose)}"
    return (
        f"Delivery: {words}. Dose {numbers.fixed(record.dose, 3)} (total variation between the arms in "
        f"{_KINDS[record.kind]}{steps}{seeds}){minimum}."
    )


def _confirmed(record: Delivery) -> str:
    if record.worker_confirmed is None:
        return ""
    if record.worker_confirmed:
        return "In every step the loss saw the weights that the policy set."
    return "In some steps the loss did not see the weights that the policy set."


def _control(comparison: Comparison) -> str:
    dose = comparison.delivery.control_dose
    if dose is None:
        return ""
    return f"The control's own dose is {numbers.fixed(dose, 3)}."
