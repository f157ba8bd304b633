"""Whether each treatment of a study happened, from the delivery records in its run folders."""

from collections.abc import Sequence

from pydantic import ValidationError

from policies import registry
from policies.delivery import DeliveryRecord
from policies.seeding import stream
from tools.evaluation.delivery import compare_delivery
from tools.plan.study_plan import Arm
from tools.statistics.delivery_model import ArmDelivery, Delivery
from tools.study.folder import Study
from tools.study.stored import Stored
from training.run_files import RunFiles


def delivery_of(study: Study, stored: Stored, treatment: Arm, seeds: Sequence[int]) -> Delivery:
    """Compares the treatment's runs with the control's at these seeds.

    A run that is not done, or whose record is missing or damaged, has no records, which the comparison names. Where a
    run failed in training, the steps that both made are compared.
    """
    plan = stored.plan
    ours, theirs = _records(study, stored, treatment, seeds), _records(study, stored, plan.control, seeds)
    for seed in ours.keys() & theirs.keys():
        if ended_early(stored, (treatment.id, plan.control.id), seed):
            steps = min(len(ours[seed]), len(theirs[seed]))
            ours[seed], theirs[seed] = ours[seed][:steps], theirs[seed][:steps]
    return compare_delivery(
        ours,
        theirs,
        plan.analysis.minimum_dose,
        plan.recipe.prompts_per_step,
        head_to_head=registry.get(plan.control.policy.name).family != "control",
    )


def ended_early(stored: Stored, arms: Sequence[str], seed: int) -> bool:
    """Whether a run of these arms failed in training at that seed, so that it has fewer steps than planned."""
    runs = [stored.run(arm, seed) for arm in arms]
    return any(run is not None and run.state == "failed" for run in runs)


def delivery_so_far(study: Study, stored: Stored, *, hidden: bool) -> tuple[ArmDelivery, ...]:
    """Each treatment that has a done run beside one of the control's, over these pairs.

    `hidden`: under labels whose order is drawn from the plan's hash, and without what gives a treatment away, as long
    as nobody may know which arm does how well; over the pairs that all treatments have, since one that stopped early
    would be known by their number.
    """
    found: list[ArmDelivery] = []
    treatments = () if stored.plan.kind == "noise" else stored.plan.treatments  # one policy: nothing to deliver
    order = stream("delivery labels", stored.plan_hash).permutation(len(treatments)) if hidden else None
    for place in range(len(treatments)) if order is None else order:
        arm = treatments[place]
        needed = stored.plan.arms if hidden else (arm, stored.plan.control)
        pairs = [seed for seed in stored.plan.seeds if all(stored.run(one.id, seed) for one in needed)]
        if pairs:
            label = f"treatment {_letter(len(found))}" if hidden else arm.id
            found.append(ArmDelivery.of(label, delivery_of(study, stored, arm, pairs), len(pairs)))
    return tuple(found)


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def _records(study: Study, stored: Stored, arm: Arm, seeds: Sequence[int]) -> dict[int, tuple[DeliveryRecord, ...]]:
    """Seed -> delivery records."""
    from training.verl_plugin.delivery_log import read_records

    found = {}
    for seed in seeds:
        run = stored.run(arm.id, seed)
        try:
            found[seed] = read_records(RunFiles(study.run_dir(run)).delivery) if run else ()
        except (OSError, UnicodeDecodeError, ValidationError):
            continue
    return found
