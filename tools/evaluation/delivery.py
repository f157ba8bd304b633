"""Did the treatment happen? Judged from the delivery records of paired runs (same seed, treatment and control)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from policies.delivery import DeliveryRecord, WeightStatistics
from tools.statistics.delivery_model import WEIGHTS_APART, Delivery, DeliveryStatus

Records = Sequence[DeliveryRecord]
Runs = Mapping[int, Records]
DoseKind = Literal["mixture", "weights", "advantages"]
_KINDS: tuple[DoseKind, ...] = ("mixture", "weights", "advantages")
_OWN = tuple(f"{arm}_{kind}" for kind in ("weights", "advantages") for arm in ("treatment", "control"))
Shares = Mapping[str, float]

_SEEN_TOLERANCE = 1e-5
"""Relative; worker and trainer add up float32 in different order."""
_SHARES_APART = 1e-9


class PairDose(NamedTuple):
    """One pair of runs, averaged over its steps."""

    mixture: float
    """Total variation between the domain shares."""
    treatment_weights: float
    """Total variation between a run's loss weights and equal ones; so is the next."""
    control_weights: float
    treatment_advantages: float
    """Total variation between the advantages that a run trained on and GRPO's own; so is the next."""
    control_advantages: float
    identical: bool
    """Same prompts in every step, and the same weights and advantages or none that act."""

    @property
    def weights(self) -> float:
        """Of the run that reweights; where both do, the smaller one."""
        return _acting(self.treatment_weights, self.control_weights)

    @property
    def advantages(self) -> float:
        """Of the run that trains on advantages of its own; where both do, the smaller one."""
        return _acting(self.treatment_advantages, self.control_advantages)


def _acting(one: float, other: float) -> float:
    """How far what two runs do is apart cannot be known: it belongs to the rollouts of two different models."""
    low, high = sorted((one, other))
    return low if low > WEIGHTS_APART else high


def compare_delivery(
    treatment: Runs, control: Runs, minimum_dose: float, prompts_per_step: int, *, head_to_head: bool = False
) -> Delivery:
    """Compares each seed's pair of runs, step by step.

    `treatment` and `control` map a seed to its run's records, one a step. The dose is the mean over steps, then over
    seeds, of the total variation between the arms: in realised domain shares (mixture), in loss weights or in the
    advantages that a policy put in place of GRPO's, whichever is largest. A mixture dose below
    1 / (2 * prompts_per_step), half a prompt a step, counts as 0. Where one arm alone draws uniformly over the pool,
    the noise of its draws is nobody's treatment: it counts with its average shares, and the other arm with the shares
    that it asked for, as long as it realised them but for rounding.

    `not_recorded`: a seed without partner, a run without records, steps missing. `not_delivered`: no dose, a pair that
    is identical in everything, a loss that did not see what the trainer set, or a control that acts itself (unless the
    study is `head_to_head`). `weak`: a dose below `minimum_dose`. The reasons name seed and step.
    """
    faults = tuple(_unpaired(treatment, control))
    if faults:
        return Delivery(status="not_recorded", minimum_dose=minimum_dose, reasons=faults)
    ours, theirs = _counted_shares(treatment, control), _counted_shares(control, treatment)
    pairs = {seed: _pair_dose(treatment[seed], control[seed], ours[seed], theirs[seed]) for seed in sorted(treatment)}
    doses = {kind: _mean([getattr(pair, kind) for pair in pairs.values()]) for kind in _KINDS}
    kind = _kind(doses, prompts_per_step)
    own = {name: _mean([getattr(pair, name) for pair in pairs.values()]) for name in _OWN}
    unseen = [
        *(reason for seed in pairs for reason in _unseen(f"seed {seed}", treatment[seed])),
        *(reason for seed in pairs for reason in _unseen(f"seed {seed}, control", control[seed])),
    ]
    reasons = list(unseen)
    reasons += [f"seed {seed}: both runs are identical in everything" for seed in pairs if pairs[seed].identical]
    if not head_to_head:
        reasons += _control_acts(own)
    if kind == "none":
        others = "".join(f", {name} by {doses[name]:.3g}" for name in ("weights", "advantages"))
        reasons.append(
            f"no dose: shares differ by {doses['mixture']:.3g} (half a prompt a step is "
            f"{1 / (2 * prompts_per_step):.3g}){others}"
        )
    dose = doses[kind] if kind != "none" else max(doses.values())
    status: DeliveryStatus = "not_delivered" if reasons else "delivered" if dose >= minimum_dose else "weak"
    if status == "weak":
        reasons.append(f"dose {dose:.3g} is below the plan's minimum {minimum_dose:g}")
    reasons += [reason for seed in pairs for reason in _remarks(f"seed {seed}", treatment[seed], control[seed])]
    acted = any(
        map(_acts_on_the_loss, (record for arm in (treatment, control) for run in arm.values() for record in run))
    )
    return Delivery(
        status=status,
        dose=dose,
        minimum_dose=minimum_dose,
        by_seed={str(seed): getattr(pair, "mixture" if kind == "none" else kind) for seed, pair in pairs.items()},
        kind=kind,
        uniform=_uniform_arm(treatment, control) if kind in ("mixture", "none") else None,
        treatment_dose=own["treatment_advantages" if kind == "advantages" else "treatment_weights"],
        control_dose=own["control_advantages" if kind == "advantages" else "control_weights"],
        steps=max(len(records) for records in treatment.values()),
        worker_confirmed=not unseen if acted or unseen else None,
        reasons=tuple(reasons),
    )


def _control_acts(own: Mapping[str, float]) -> Iterator[str]:
    for name, does in (("weights", "reweights rollouts itself"), ("advantages", "trains on advantages of its own")):
        dose = own[f"control_{name}"]
        if dose > WEIGHTS_APART:
            yield f"the control {does} (dose {dose:.3g}); its dose must be 0"


def _acts_on_the_loss(record: DeliveryRecord) -> bool:
    return bool(record.weights_set or record.weights_seen or record.advantage_dose)


def _kind(doses: Mapping[DoseKind, float], prompts_per_step: int) -> DoseKind | Literal["none"]:
    """The largest dose that counts; shares before weights, and these before advantages, where they are equal."""
    counted: list[DoseKind] = ["mixture"] if doses["mixture"] >= 1 / (2 * prompts_per_step) else []
    on_the_loss: tuple[DoseKind, ...] = ("weights", "advantages")
    counted += [kind for kind in on_the_loss if doses[kind] > WEIGHTS_APART]
    if not counted:
        return "none"
    return max(counted, key=doses.__getitem__)


def _pair_dose(
    treatment: Records, control: Records, treatment_shares: Sequence[Shares], control_shares: Sequence[Shares]
) -> PairDose:
    steps = list(zip(treatment, control, strict=True))
    acting = max(max(record.weight_dose, record.advantage_dose) for pair in steps for record in pair)
    return PairDose(
        mixture=_mean(list(map(total_variation, treatment_shares, control_shares))),
        treatment_weights=_mean([ours.weight_dose for ours, _ in steps]),
        control_weights=_mean([theirs.weight_dose for _, theirs in steps]),
        treatment_advantages=_mean([ours.advantage_dose for ours, _ in steps]),
        control_advantages=_mean([theirs.advantage_dose for _, theirs in steps]),
        identical=all(ours.prompt_stream == theirs.prompt_stream for ours, theirs in steps)
        and (acting <= WEIGHTS_APART or all(_action(ours) == _action(theirs) for ours, theirs in steps)),
    )


def _action(record: DeliveryRecord) -> tuple[object, ...]:
    return record.weight_dose, record.advantage_dose, record.weights_set, record.loss_inputs_set


def _counted_shares(arm: Runs, other: Runs) -> dict[int, list[Shares]]:
    """The shares that each step of each run counts with."""
    if _draws_uniformly(arm) == _draws_uniformly(other):
        return {seed: [record.realised_shares for record in records] for seed, records in arm.items()}
    if not _draws_uniformly(arm):
        return {seed: [_intended_shares(record) for record in records] for seed, records in arm.items()}
    every = [record.realised_shares for records in arm.values() for record in records]
    domains = {name for shares in every for name in shares}
    average = {name: _mean([shares.get(name, 0.0) for shares in every]) for name in sorted(domains)}
    return {seed: [average] * len(records) for seed, records in arm.items()}


def _intended_shares(record: DeliveryRecord) -> Shares:
    """The requested shares where the realised ones are these in whole prompts, else the realised ones."""
    asked, got = record.requested_shares, record.realised_shares
    if asked is None:
        return got
    rounded = all(
        abs(asked.get(name, 0.0) - got.get(name, 0.0)) < 1 / record.prompts + _SHARES_APART
        for name in asked.keys() | got.keys()
    )
    return asked if rounded else got


def _draws_uniformly(arm: Runs) -> bool:
    return all(record.requested_shares is None for records in arm.values() for record in records)


def _uniform_arm(treatment: Runs, control: Runs) -> Literal["treatment", "control"] | None:
    if _draws_uniformly(treatment) == _draws_uniformly(control):
        return None
    return "control" if _draws_uniformly(control) else "treatment"


def total_variation(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """0.5 * sum |p - q| of two distributions over domains; a domain that is absent has share 0."""
    return 0.5 * sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in one.keys() | other.keys())


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _unpaired(treatment: Runs, control: Runs) -> Iterator[str]:
    if not treatment and not control:
        yield "no run of either arm has a delivery record"
    for seed in sorted(treatment.keys() ^ control.keys()):
        yield f"seed {seed}: no delivery record of the {'control' if seed in treatment else 'treatment'}"
    for seed in sorted(treatment.keys() & control.keys()):
        broken = [*_gaps(f"seed {seed}, treatment", treatment[seed]), *_gaps(f"seed {seed}, control", control[seed])]
        yield from broken
        ours, theirs = len(treatment[seed]), len(control[seed])
        if not broken and ours != theirs:
            yield f"seed {seed}: the treatment recorded {ours} steps, the control {theirs}"


def _gaps(where: str, records: Records) -> Iterator[str]:
    if not records:
        yield f"{where}: the delivery record is empty"
    for place, record in enumerate(records, start=1):
        if record.step != place:
            yield f"{where}: the delivery record has step {record.step} where step {place} should be"
            return


def _unseen(where: str, records: Records) -> Iterator[str]:
    """At most one reason a run: the first step in which the loss saw something else than the trainer set."""
    wrong = [(record.step, fault) for record in records if (fault := _mismatch(record))]
    if wrong:
        step, fault = wrong[0]
        yield f"{where}, step {step}: {fault} ({len(wrong)} of {len(records)} steps)"


def _mismatch(record: DeliveryRecord) -> str:
    asked, seen = record.weights_set, record.weights_seen
    if seen is None and asked is not None:
        return "the trainer set weights, the loss saw none"
    if asked is None and seen is not None:
        return "the loss saw weights that the policy did not set"
    if asked is None or seen is None:
        return _other_values(record)
    apart = [name for name in WeightStatistics.model_fields if not _close(getattr(asked, name), getattr(seen, name))]
    shown = ", ".join(f"{name} {getattr(asked, name):g} set, {getattr(seen, name):g} seen" for name in apart)
    return f"the loss saw other weights than were set: {shown}" if apart else _other_values(record)


def _other_values(record: DeliveryRecord) -> str:
    """Sums can agree where values do not: the weights of the wrong rollouts, or advantages that were not replaced.

    A record without digests is of a version that kept none.
    """
    if record.loss_inputs_set == record.loss_inputs_seen:
        return ""
    return "the loss saw other values of weights, advantages or log-probs than were set"


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _SEEN_TOLERANCE * max(abs(one), abs(other))


def _remarks(where: str, treatment: Records, control: Records) -> Iterator[str]:
    """What a reader should know, whatever the status."""
    steps = list(zip(treatment, control, strict=True))
    apart = [
        ours
        for ours, theirs in steps
        if ours.requested_shares is not None
        and theirs.requested_shares is not None
        and total_variation(ours.requested_shares, theirs.requested_shares) > _SHARES_APART
    ]
    if apart and all(ours.prompt_stream == theirs.prompt_stream for ours, theirs in steps):
        yield (
            f"{where}: other shares were requested in {len(apart)} of {len(steps)} steps, "
            "yet both runs drew the same prompts"
        )
    kept = sum(record.kept_everything for record in treatment)
    if kept:
        yield f"{where}: the selector kept everything in {kept} of {len(steps)} steps, as nothing would have been left"
