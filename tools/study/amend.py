"""Amendments: seeds or hours that the plan did not have, with their price, and what they do to the claim."""

import os
from collections.abc import Sequence

from policies.errors import InputError, RefusedError
from policies.model import StrictModel
from tools.plain_text import one_line
from tools.statistics.power_model import PowerStatement
from tools.study.after_pilot import demand_fresh
from tools.study.canonical import identity, plan_bytes
from tools.study.cost import hours_unit, run_device_hours
from tools.study.ledger import Ledger
from tools.study.plan import StudyPlan
from tools.study.price import planned_power
from tools.study.schedule import scheduled_seeds, stopped_after
from tools.study.seeds import MOST_RUNS, MOST_SEEDS_ASKED
from tools.study.study import Study, write_exports
from training.launchers.processes import take_lock
from training.run_lock import is_locked


class Amendment(StrictModel):
    """A change that is not recorded yet."""

    schema_version: int = 1
    plan: StudyPlan
    """As it would be."""
    instead_of: str
    """Hash of the plan as it is."""
    change: str
    """In words: `seeds from 3 to 5 (new: 4, 5)`."""
    exploratory: str
    """Why the verdict would confirm nothing; empty where it still would."""
    error: float | None = None
    """P(a false claim on one summary) of whoever reads the longer study as if it had been planned; None where that is
    not known, or where the claim is as planned."""
    runs: int
    """That it adds."""
    device_hours: float
    """That they are expected to cost, scoring included."""
    unit: str


def proposed(
    study: Study, *, seeds: int | None = None, seed_list: Sequence[int] | None = None, budget: float | None = None
) -> Amendment:
    """The change with its price; nothing is written.

    seeds: how many there shall be in all. seed_list: which seeds shall be there; those of the plan stay. budget: a new
    ceiling in device-hours. Raises InputError where nothing would change, or where seeds would be taken away.
    """
    with study.ledger(read_only=True) as ledger:
        old, looks, state = ledger.plan(), ledger.looks(), ledger.study().state
        scheduled = scheduled_seeds(old, looks)
        over = bool(old.design) and len(stopped_after(old, looks)) == len(old.treatments)
        new = old
        if seeds is not None or seed_list is not None:
            kept = scheduled[old.control.id] if over else old.seeds
            new = _with_seeds(old, _seeds(old, kept, seeds, seed_list), fixed=over)
        if budget is not None and budget != old.budget_device_hours:
            _demand_unspent(budget, ledger.spent_device_hours(), old)
            if state == "done" and new == old:
                raise InputError(f"{study.folder.name} is done: it needs no other budget; add seeds with --seeds")
            new = new.model_copy(update={"budget_device_hours": budget})
        if new == old:
            raise InputError("nothing would change; give --seeds, --seed-list or --budget with another value")
        known = {(run.arm, new.pair_of(run.arm, run.seed, run.replicate)) for run in ledger.runs() if run.is_outcome}
        runs = sum((arm.id, seed) not in known for seed in new.seeds for arm in new.arms)
        added = runs - sum((arm, seed) not in known for arm, own in scheduled.items() for seed in own)
        why, run = why_exploratory(ledger, old, new), scheduled[old.control.id]
        return Amendment(
            plan=new,
            instead_of=ledger.plan_hash(),
            change=_change(old, run, new),
            exploratory=why,
            error=_error(old, len(run), len(new.seeds)) if why else None,
            runs=added,
            device_hours=added * run_device_hours(new.recipe),
            unit=hours_unit(new.recipe),
        )


def amend(study: Study, plan: StudyPlan, who: str = "unknown user", *, instead_of: str | None = None) -> str:
    """Replaces the plan of a study that is not running; returns the new hash.

    An approval of another plan is void: the study waits for a new one, also when it was done. No run is made twice. The
    change is recorded with who made it and whether what follows can confirm anything, all of it or nothing.
    instead_of: hash of the plan that `plan` was made from. Raises RefusedError while the study runs, and where its plan
    is not that one any more: somebody else's amendment would be lost.
    """
    who, power = one_line(who).strip() or "unknown user", planned_power(plan)
    # With the supervisor's lock, so that none begins with the old plan meanwhile.
    lock = None if is_locked(study.starting) else take_lock(study.lock)
    if lock is None:
        raise RefusedError(f"cannot amend {study.folder.name} while it runs; stop it first: advisor stop {study.name}")
    try:
        with study.ledger() as ledger:
            with ledger.transaction():
                digest = _recorded(study, ledger, plan, power, who, instead_of)
            write_exports(study, ledger)
    finally:
        os.close(lock)
    return digest


def _recorded(
    study: Study, ledger: Ledger, plan: StudyPlan, power: PowerStatement | None, who: str, instead_of: str | None
) -> str:
    if instead_of not in (None, ledger.plan_hash()):
        raise RefusedError(f"the plan of {study.folder.name} was changed meanwhile; look at it and amend again")
    old = ledger.plan()
    run = scheduled_seeds(old, ledger.looks())[old.control.id]
    why, change = why_exploratory(ledger, old, plan), _change(old, run, plan)
    digest = ledger.amend(plan, power)
    ledger.add_amendment(who, digest, change, why)
    if ledger.approval() is None:
        ledger.set_state("planned")
    ledger.event("amended", f"by {who}: {change}{'; exploratory from here on' if why else ''}")
    return digest


def why_exploratory(ledger: Ledger, old: StudyPlan, new: StudyPlan) -> str:
    """Why the verdict under the changed plan confirms nothing; empty where no score can have led to the change.

    The number of seeds may follow from a study's own pairs through the looks of a sequential plan alone. Hours buy what
    was planned anyway, so a budget may change while the study is blind. What is exploratory stays so.
    """
    earlier = next((row.exploratory for row in ledger.amendments() if row.exploratory), "")
    if earlier:
        return earlier
    unblindings = ledger.unblindings()
    if unblindings:
        first = unblindings[0]
        return f"the plan was changed after {first.who} had unblinded the study at {first.at}"
    if _judged(old) == _judged(new):
        return ""
    scored = len({row.run for row in ledger.scores()})
    if not scored:
        return ""
    if ledger.study().state == "done":
        return "the plan was changed after its verdict was known"
    return f"the plan was changed after {scored} of its runs had been scored"


def _judged(plan: StudyPlan) -> dict[str, object]:
    import json

    covered = identity(json.loads(plan_bytes(plan)))
    return {key: value for key, value in covered.items() if key != "budget_device_hours"}


def _demand_unspent(budget: float, spent: float, plan: StudyPlan) -> None:
    if budget <= spent:
        raise InputError(
            f"a budget of {budget:g} {hours_unit(plan.recipe)} is no more than the {spent:.3g} that are spent; "
            "give more"
        )


def _seeds(old: StudyPlan, kept: Sequence[int], count: int | None, listed: Sequence[int] | None) -> tuple[int, ...]:
    """All seeds under the amended plan: those that stay, then the new ones."""
    if listed is not None:
        wanted = [seed for seed in dict.fromkeys(listed) if seed not in kept]
        if not wanted:
            raise InputError(f"seeds {', '.join(map(str, listed))} are all in the plan already; name others")
    else:
        assert count is not None
        if count <= len(kept):
            raise InputError(
                f"{count} seeds are no more than the {len(kept)} that the study has; an amendment adds seeds, and "
                "none that was planned is taken away"
            )
        spare = [seed for seed in old.seeds if seed not in kept]
        after = max((*old.seeds, *(old.pilot.seeds if old.pilot else ()))) + 1
        spare += range(after, after + count)
        wanted = spare[: count - len(kept)]
    if any(arm.seed_offset for arm in old.arms):
        raise InputError("the pairs of an unmatched noise study use up their seeds; plan another study for more pairs")
    seeds = (*kept, *wanted)
    demand_fresh(tuple(wanted), old.pilot)
    bad = [seed for seed in wanted if not 0 <= seed < 2**31]
    if bad:
        raise InputError(f"seed {bad[0]} is out of range; use whole numbers from 0 to {2**31 - 1}")
    if len(seeds) > MOST_SEEDS_ASKED or len(seeds) * len(old.arms) > MOST_RUNS:
        raise InputError(
            f"{len(seeds)} seeds are more than a study may have ({MOST_SEEDS_ASKED} seeds, {MOST_RUNS} runs); ask for "
            "fewer"
        )
    return seeds


def _with_seeds(old: StudyPlan, seeds: tuple[int, ...], *, fixed: bool) -> StudyPlan:
    """A sequential study whose rule has stopped it goes on with a fixed number of seeds, all arms at each."""
    design = old.design
    if design is not None:
        design = None if fixed else design.model_copy(update={"n_max": len(seeds)})
    return old.model_copy(update={"seeds": seeds, "design": design})


def _error(old: StudyPlan, n: int, longer: int) -> float | None:
    """When a study that has read its n pairs without a claim is made longer and read once more, at the same level."""
    from tools.statistics.critical import fixed
    from tools.statistics.family import family_confidence
    from tools.statistics.sequential.boundaries import boundaries
    from tools.statistics.sequential.price import amended_error

    confidence = family_confidence(old.analysis.confidence, old.analysis.family_size)
    if longer <= n or n < 2 or (old.design is not None and n < old.design.n_max):
        return None
    bounds = {n: fixed(n, confidence)} if old.design is None else boundaries(old.design, 1.0 - confidence)
    return amended_error(bounds, longer - n)


def _change(old: StudyPlan, run: Sequence[int], new: StudyPlan) -> str:
    """What differs, in words; `run`: the seeds that the old plan runs, fewer than it has where its looks ended it."""
    parts = []
    if old.seeds != new.seeds:
        added = ", ".join(str(seed) for seed in new.seeds if seed not in run)
        parts.append(f"seeds from {len(run)} to {len(new.seeds)}{f' (new: {added})' if added else ''}")
    if old.design is not None and new.design is None:
        parts.append("no further looks: a fixed number of seeds after the sequential plan had ended")
    if old.budget_device_hours != new.budget_device_hours:
        before, after = (
            "none" if hours is None else f"{hours:g}" for hours in (old.budget_device_hours, new.budget_device_hours)
        )
        parts.append(f"budget from {before} to {after} {hours_unit(new.recipe)}")
    return "; ".join(parts) or "other parts of the plan"
