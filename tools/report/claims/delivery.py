"""Sentences about delivery: whether the treatment was applied."""

from tools.statistics.delivery_model import WEIGHTS_APART, Delivery
from tools.statistics.verdict_model import Comparison
from tools.text import numbers


def delivery(comparison: Comparison) -> str:
    """Returns status, dose, minimum, and whether the worker that computed the loss confirmed delivery."""
    record = comparison.delivery
    if record.status == "not_recorded":
        return (
            "Delivery: not recorded. Until the realised shares or weights are shown to differ from those of "
            f"{comparison.control}, read this as a comparison of two labels."
        )
    return " ".join(part for part in (_status(record), _confirmed(record), _weights(record)) if part)


def delivery_short(record: Delivery) -> str:
    """Returns delivery for the verdict paragraph: `delivered (dose 0.21, minimum 0.05)`."""
    names = {"delivered": "delivered", "weak": "weak", "not_delivered": "not delivered", "not_recorded": "not recorded"}
    if record.dose is None or record.worker_confirmed is False:
        return names[record.status]
    minimum = "" if record.minimum_dose is None else f", minimum {numbers.fixed(record.minimum_dose)}"
    return f"{names[record.status]} (dose {numbers.fixed(record.dose, 3)}{minimum})"


def _status(record: Delivery) -> str:
    words = {"delivered": "delivered", "weak": "delivered at a weak dose", "not_delivered": "not delivered"}[
        record.status
    ]
    if record.dose is None:
        return f"Delivery: {words}."
    steps = "" if record.steps is None else f", mean over {record.steps:,} steps"
    seeds = f" and {numbers.counted(len(record.by_seed), 'seed')}" if record.by_seed and steps else ""
    minimum = "" if record.minimum_dose is None else f"; the plan's minimum is {numbers.fixed(record.minimum_dose)}"
    dose = "Dose" if record.worker_confirmed is not False else "Requested dose:"
    return f"Delivery: {words}. {dose} {numbers.fixed(record.dose, 3)} ({_measure(record)}{steps}{seeds}){minimum}."


def _measure(record: Delivery) -> str:
    if record.kind == "weights" and record.treatment_dose and record.control_dose:
        return "both arms reweight; the smaller of their total variations between their loss weights and equal ones"
    if record.kind == "weights":
        return "total variation between the arms in the loss weights of rollouts that carry gradient"
    if record.kind == "advantages" and record.treatment_dose and record.control_dose:
        return "both arms train on their own advantages; the smaller of their total variations from GRPO's"
    if record.kind == "advantages":
        return "total variation between the advantages trained on and those that GRPO makes of the graded rewards"
    shares = "total variation between the arms in the domain shares of the prompts rolled out"
    if record.uniform is None:
        return shares
    return f"{shares}; the {record.uniform} draws at random from the whole pool and counts with its average shares"


def _confirmed(record: Delivery) -> str:
    if record.worker_confirmed is None:
        return ""
    what = "advantages" if record.kind == "advantages" else "weights"
    if record.worker_confirmed:
        return f"In every step the loss received the {what} that the policy set."
    return f"In some steps the loss did not receive the {what} that the policy set."


def _weights(record: Delivery) -> str:
    """Returns the dose of each arm's own weights; a control is expected to have none."""
    if record.control_dose is None:
        return ""
    what = "advantages" if record.kind == "advantages" else "weights"
    if record.control_dose <= WEIGHTS_APART:
        return (
            "The control's advantages were GRPO's."
            if what == "advantages"
            else "The control's loss weights were equal."
        )
    own = "" if record.treatment_dose is None else f", the treatment's {numbers.fixed(record.treatment_dose, 3)}"
    return f"The control's own {what} have dose {numbers.fixed(record.control_dose, 3)}{own}."
