"""What may be known of a study on its way: how many pairs, how much they vary, what the last look decided; no arm."""

import math
from collections.abc import Sequence

from policies.model import StrictModel
from tools.study.intent import Line
from tools.study.ledger import Ledger
from tools.study.looks import told_blind
from tools.study.paired_scores import score_table
from tools.study.plan import StudyPlan
from tools.study.rows import RunRow, StoredScore
from tools.study.schedule import scheduled_seeds


class BlindView(StrictModel):
    """The same whatever the arms, the signs and the scores are."""

    design: Line
    """`fixed`, or when a sequential study looks."""
    pairs: int
    """Complete pairs, of the treatment that has most."""
    summary: str
    """The primary summary."""
    pooled_sd: float | None
    """Of the paired differences under it, about each treatment's own mean; score points, None with fewer than 2."""
    looks: int
    """Seed blocks after which there was a look."""
    last_look: Line = ""
    unblinded: Line = ""
    """Who asked to see scores by arm, when and why; empty while the study is blind."""
    exploratory: Line = ""
    """Why the verdict will confirm nothing; empty where it will."""


def blind_view(plan: StudyPlan, ledger: Ledger) -> BlindView:
    """Reads ledger rows only."""
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
    """`fixed: 3 seeds`; `sequential: looks after each seed from 5 on, at most 12 seeds`."""
    if plan.design is None:
        return f"fixed: {len(plan.seeds)} seed{'' if len(plan.seeds) == 1 else 's'}"
    return f"sequential: looks after each seed from {plan.design.n_min} on, at most {plan.design.n_max} seeds"


def _differences(
    plan: StudyPlan, runs: Sequence[RunRow], scores: Sequence[StoredScore], seeds: dict[str, tuple[int, ...]]
) -> list[list[float]]:
    """Of each treatment under the primary summary."""
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
