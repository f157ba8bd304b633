"""Amendments: changes of a plan's seeds or budget, with their price and their consequence for the claim."""

import os
from collections.abc import Sequence

from policies.errors import InputError, RefusedError
from policies.model import StrictModel
from tools.design.forecast import planned_power
from tools.design.pilot import demand_fresh
from tools.design.seeds import MOST_RUNS, MOST_SEEDS_ASKED
from tools.plan.cost import hours_unit, run_device_hours
from tools.plan.plan_hash import identity, plan_bytes
from tools.plan.study_plan import StudyPlan
from tools.statistics.power.model import PowerStatement
from tools.study.folder import Study, write_exports
from tools.study.ledger import Ledger
from tools.study.schedule import scheduled_seeds, stopped_after
from tools.text.plain_text import one_line
from training.launchers.processes import take_lock
from training.support.run_lock import is_locked


class Amendment(StrictModel):
    """A proposed change of a plan; nothing is recorded yet."""

    schema_version: int = 1
    plan: StudyPlan
    """The plan as amended."""
    instead_of: str
    """Hash of the current plan."""
    change: str
    """In words: `seeds from 3 to 5 (new: 4, 5)`."""
    exploratory: str
    """Why the verdict would be exploratory; empty if it would still be confirmatory."""
    error: float | None = None
    """P(a false claim on one summary) if the longer study is read as if it had been planned; None if that is not known,
    or if the claim is as planned."""
    runs: int
    """Number of runs that the amendment adds."""
    device_hours: float
    """Expected cost of those runs, scoring included."""
    unit: str


def proposed(
    study: Study, *, seeds: int | None = None, seed_list: Sequence[int] | None = None, budget: float | None = None
) -> Amendment:
    """Returns the change with its price; writes nothing.

    seeds: the new total number. seed_list: seeds to add; those of the plan stay. budget: the new ceiling in
    device-hours. Raises InputError if nothing would change or seeds would be removed.
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
                raise InputError(f"{study.folder.name} is done, so a new budget has no effect; add seeds with --seeds")
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

    An approval of another plan is void, so the study waits for a new approval, even if it was done. No run is repeated.
    The change, its author and whether later results are exploratory are recorded in one transaction. instead_of: hash
    of the plan that `plan` was made from. Raises RefusedError while the study runs, and if its plan has changed since,
    so that no other amendment is lost.
    """
    who, power = one_line(who).strip() or "unknown user", planned_power(plan)
    # With the supervisor's lock, so that no supervisor starts with the old plan in the meantime.
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
        raise RefusedError(f"the plan of {study.folder.name} has changed in the meantime; check it and amend again")
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
    """Returns why the verdict under the changed plan is exploratory; empty if no score can have led to the change.

    The number of seeds may depend on a study's own pairs only through the looks of a sequential plan. A budget only
    pays for what was planned, so it may change while the study is blind. An exploratory study stays exploratory.
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
            f"a budget of {budget:g} {hours_unit(plan.recipe)} is not above the {spent:.3g} already spent; give more"
        )


def _seeds(old: StudyPlan, kept: Sequence[int], count: int | None, listed: Sequence[int] | None) -> tuple[int, ...]:
    """All seeds of the amended plan: those that stay, then the new ones."""
    if listed is not None:
        wanted = [seed for seed in dict.fromkeys(listed) if seed not in kept]
        if not wanted:
            raise InputError(f"seeds {', '.join(map(str, listed))} are all in the plan already; name others")
    else:
        assert count is not None
        if count <= len(kept):
            raise InputError(
                f"{count} seeds are not more than the {len(kept)} of the study; an amendment can only add seeds, so "
                "ask for more"
            )
        spare = [seed for seed in old.seeds if seed not in kept]
        after = max((*old.seeds, *(old.pilot.seeds if old.pilot else ()))) + 1
        spare += range(after, after + count)
        wanted = spare[: count - len(kept)]
    if any(arm.seed_offset for arm in old.arms):
        raise InputError("an unmatched noise study cannot be extended; plan another study for more pairs")
    seeds = (*kept, *wanted)
    demand_fresh(tuple(wanted), old.pilot)
    bad = [seed for seed in wanted if not 0 <= seed < 2**31]
    if bad:
        raise InputError(f"seed {bad[0]} is out of range; use whole numbers from 0 to {2**31 - 1}")
    if len(seeds) > MOST_SEEDS_ASKED or len(seeds) * len(old.arms) > MOST_RUNS:
        raise InputError(
            f"{len(seeds)} seeds are more than the limit for a study ({MOST_SEEDS_ASKED} seeds, {MOST_RUNS} runs); "
            "ask for fewer"
        )
    return seeds


def _with_seeds(old: StudyPlan, seeds: tuple[int, ...], *, fixed: bool) -> StudyPlan:
    """A sequential study that its rule has stopped continues with a fixed number of seeds, all arms at each."""
    design = old.design
    if design is not None:
        design = None if fixed else design.model_copy(update={"n_max": len(seeds)})
    return old.model_copy(update={"seeds": seeds, "design": design})


def _error(old: StudyPlan, n: int, longer: int) -> float | None:
    """P(a false claim) if a study without a claim at n pairs is extended and tested again at the same level."""
    from tools.statistics.levels import family_confidence
    from tools.statistics.paired import fixed
    from tools.statistics.sequential.amendment import amended_error
    from tools.statistics.sequential.boundaries import boundaries

    confidence = family_confidence(old.analysis.confidence, old.analysis.family_size)
    if longer <= n or n < 2 or (old.design is not None and n < old.design.n_max):
        return None
    bounds = {n: fixed(n, confidence)} if old.design is None else boundaries(old.design, 1.0 - confidence)
    return amended_error(bounds, longer - n)


def _change(old: StudyPlan, run: Sequence[int], new: StudyPlan) -> str:
    """The differences in words; `run`: the seeds that the old plan runs, fewer than planned if its looks ended it."""
    parts = []
    if old.seeds != new.seeds:
        added = ", ".join(str(seed) for seed in new.seeds if seed not in run)
        parts.append(f"seeds from {len(run)} to {len(new.seeds)}{f' (new: {added})' if added else ''}")
    if old.design is not None and new.design is None:
        parts.append("no further looks: a fixed number of seeds after the end of the sequential plan")
    if old.budget_device_hours != new.budget_device_hours:
        before, after = (
            "none" if hours is None else f"{hours:g}" for hours in (old.budget_device_hours, new.budget_device_hours)
        )
        parts.append(f"budget from {before} to {after} {hours_unit(new.recipe)}")
    return "; ".join(parts) or "other parts of the plan"
