"""The blinded view of a running study: number of pairs, their spread and the last look's decision; never by arm."""

import math
from collections.abc import Sequence

from policies.model import StrictModel
from tools.plan.intent import Line
from tools.plan.study_plan import StudyPlan
from tools.study.ledger import Ledger
from tools.study.looks import told_blind
from tools.study.rows import RunRow, StoredScore
from tools.study.schedule import scheduled_seeds
from tools.study.stored import score_table


class BlindView(StrictModel):
    """The blinded state of a study; it reveals no arm, sign or score."""

    design: Line
    """`fixed`, or at which seeds a sequential study takes its looks."""
    pairs: int
    """Complete pairs of the treatment that has the most."""
    summary: str
    """The primary summary."""
    pooled_sd: float | None
    """SD of the paired differences under it, about each treatment's mean; score points, None for fewer than 2 pairs."""
    looks: int
    """Number of seed blocks after which a look was taken."""
    last_look: Line = ""
    unblinded: Line = ""
    """Who unblinded the study, when and why; empty while it is blind."""
    exploratory: Line = ""
    """Why the verdict will be exploratory; empty if it will be confirmatory."""


def blind_view(plan: StudyPlan, ledger: Ledger) -> BlindView:
    """Returns the blinded state of a study, from ledger rows only."""
    looks, unblindings = ledger.looks() if plan.design else (), ledger.unblindings()
    differences = _differences(plan, ledger.runs(), ledger.scores(), scheduled_seeds(plan, looks))
    last = max((row.blocks for row in looks), default=0)
    return BlindView(
        design=design_words(plan),
        pairs=max(map(len, differences), default=0),
        summary=plan.analysis.primary,
        pooled_sd=_pooled_sd(differences),
        looks=len({row.blocks for row in looks}),
        last_look=told_blind(row for row in looks if row.blocks == last),
        unblinded="; ".join(f"by {row.who} at {row.at}: {row.reason}" for row in unblindings),
        exploratory=next((row.exploratory for row in ledger.amendments() if row.exploratory), ""),
    )


def design_words(plan: StudyPlan) -> str:
    """Describes the design: `fixed: 3 seeds`; `sequential: looks after each seed from 5 on, at most 12 seeds`."""
    if plan.design is None:
        return f"fixed: {len(plan.seeds)} seed{'' if len(plan.seeds) == 1 else 's'}"
    return f"sequential: looks after each seed from {plan.design.n_min} on, at most {plan.design.n_max} seeds"


def _differences(
    plan: StudyPlan, runs: Sequence[RunRow], scores: Sequence[StoredScore], seeds: dict[str, tuple[int, ...]]
) -> list[list[float]]:
    """Paired differences of each treatment under the primary summary."""
    table = score_table(plan, runs, scores, plan.seeds)
    if table is None:
        return []
    weights = plan.analysis.summaries[plan.analysis.primary]
    found = []
    for arm in plan.treatments:
        if not {arm.id, plan.control.id} <= set(table.arms):
            continue
        pairs = table.paired(arm.id, plan.control.id, tuple(weights))
        values = (pairs.treatment - pairs.control) @ list(weights.values())
        found.append([float(value) for seed, value in zip(pairs.seeds, values, strict=True) if seed in seeds[arm.id]])
    return found


def _pooled_sd(differences: list[list[float]]) -> float | None:
    squares = [(value - math.fsum(own) / len(own)) ** 2 for own in differences for value in own]
    free = sum(max(0, len(own) - 1) for own in differences)
    return math.sqrt(math.fsum(squares) / free) if free else None
