"""Whether the treatment happened, as data; `tools.study.delivery` judges it from paired delivery records."""

from typing import Literal

from pydantic import Field

from policies.model import StrictModel

WEIGHTS_APART = 1e-6
"""A weights dose up to this is float noise."""

DeliveryStatus = Literal["delivered", "weak", "not_delivered", "not_recorded"]


class Delivery(StrictModel):
    """Of one comparison."""

    status: DeliveryStatus
    dose: float | None = None
    """Mean over seeds of the total variation between the arms' weights or domain shares.

    Where both arms reweight, it is the smaller one of their own doses.
    """
    minimum_dose: float | None = None
    by_seed: dict[str, float] = Field(default_factory=dict)
    kind: Literal["weights", "mixture", "advantages", "none"] = "none"
    """Through which action the arms differ most."""
    uniform: Literal["treatment", "control"] | None = None
    """Where the dose is of shares: the one arm that draws uniformly over the pool, which counts with its average."""
    treatment_dose: float | None = None
    """Total variation between the arm's loss weights and equal ones; so is the next.

    Where `kind` is `advantages`: between the advantages that the arm trained on and GRPO's on the graded rewards.
    """
    control_dose: float | None = None
    steps: int | None = None
    worker_confirmed: bool | None = None
    """The loss saw, in every step, exactly the weights and advantages that the trainer set; None where it set none."""
    reasons: tuple[str, ...] = ()


class ArmDelivery(StrictModel):
    """Of one treatment while its study runs: it names the arm only where nobody's judgement can depend on it."""

    arm: str
    """The arm's id, or a label in its place."""
    status: DeliveryStatus
    dose: float | None
    minimum_dose: float | None
    control_dose: float | None
    """Of the control's own weights or advantages; must be 0."""
    pairs: int
    """Seeds whose runs are done in both arms."""
    reasons: tuple[str, ...] = ()
    """What is wrong; empty where the treatment was delivered."""

    @classmethod
    def of(cls, label: str, delivery: Delivery, pairs: int) -> "ArmDelivery":
        """Without what tells one kind of treatment from another."""
        return cls(
            arm=label,
            status=delivery.status,
            dose=delivery.dose,
            minimum_dose=delivery.minimum_dose,
            control_dose=delivery.control_dose,
            pairs=pairs,
            reasons=() if delivery.status == "delivered" else delivery.reasons,
        )
