"""Whether the treatment was delivered, as data; `tools.evaluation.delivery` judges it from paired delivery records."""

from typing import Literal

from pydantic import Field

from policies.model import StrictModel

WEIGHTS_APART = 1e-6
"""A weights dose up to this is floating-point noise."""

DeliveryStatus = Literal["delivered", "weak", "not_delivered", "not_recorded"]


class Delivery(StrictModel):
    """Whether the treatment of one comparison was delivered, and at what dose."""

    status: DeliveryStatus
    dose: float | None = None
    """Mean over seeds of the total variation between the arms' weights or domain shares.

    If both arms reweight, it is the smaller of their own doses.
    """
    minimum_dose: float | None = None
    by_seed: dict[str, float] = Field(default_factory=dict)
    kind: Literal["weights", "mixture", "advantages", "none"] = "none"
    """The action in which the arms differ most."""
    uniform: Literal["treatment", "control"] | None = None
    """For a dose in shares: the one arm that draws uniformly over the pool, for which its average is used."""
    treatment_dose: float | None = None
    """Total variation between the treatment's loss weights and equal ones; `control_dose` is the control's.

    If `kind` is `advantages`: between the advantages that the arm trained on and GRPO's on the graded rewards.
    """
    control_dose: float | None = None
    steps: int | None = None
    worker_confirmed: bool | None = None
    """Whether the loss received exactly the trainer's weights and advantages in every step; None if none were set."""
    reasons: tuple[str, ...] = ()


class ArmDelivery(StrictModel):
    """The delivery of one treatment while its study runs; the arm is named only if that cannot bias a decision."""

    arm: str
    """The arm's id, or a label in place of it."""
    status: DeliveryStatus
    dose: float | None
    minimum_dose: float | None
    control_dose: float | None
    """Dose of the control's own weights or advantages; must be 0."""
    pairs: int
    """Number of seeds whose runs are done in both arms."""
    reasons: tuple[str, ...] = ()
    """What is wrong; empty if the treatment was delivered."""

    @classmethod
    def of(cls, label: str, delivery: Delivery, pairs: int) -> "ArmDelivery":
        """Returns the delivery under a label, without fields that identify the kind of treatment."""
        return cls(
            arm=label,
            status=delivery.status,
            dose=delivery.dose,
            minimum_dose=delivery.minimum_dose,
            control_dose=delivery.control_dose,
            pairs=pairs,
            reasons=() if delivery.status == "delivered" else delivery.reasons,
        )
