"""Looks at a sequential study: after each seed block, each treatment that still runs stops or continues."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tools.plan.study_plan import StudyPlan
from tools.scores.summary_matrix import SummaryMatrix
from tools.study.database import now
from tools.study.ledger import Ledger
from tools.study.rows import LookRow
from tools.study.schedule import stopped_after
from tools.study.stored import score_table


def look_after(plan: StudyPlan, ledger: Ledger, blocks: int) -> tuple[LookRow, ...]:
    """Takes and records the looks that are due after `blocks` seed blocks; returns all looks, earlier ones included.

    A recorded decision is never taken again, so that a restarted supervisor decides nothing twice. No look is taken
    before `n_min` complete pairs, nor again if a lost pair added no complete pair.
    """
    if plan.design is None:
        return ()
    from tools.statistics.sequential.look import pooled_look

    known = ledger.looks()
    due = _due(plan, ledger, known, blocks)
    if not due:
        return known
    analysis, digest, at = plan.analysis, ledger.plan_hash(), now()
    alpha, k = 1.0 - analysis.confidence, analysis.family_size
    found = pooled_look(due, plan.design, alpha, analysis.sesois(), family_size=k)
    fresh = tuple(
        LookRow(treatment, blocks, one.n, one.decision, found.blinded_reason, one.model_dump_json(), digest, at)
        for treatment, one in found.looks.items()
    )
    ledger.add_looks(fresh)
    return (*known, *fresh)


def told_blind(rows: Iterable[LookRow]) -> str:
    """Returns what may be reported of the looks after one block while the study is blind."""
    return next((row.blinded_reason for row in rows), "")


def _due(plan: StudyPlan, ledger: Ledger, known: Sequence[LookRow], blocks: int) -> dict[str, NDArray[np.float64]]:
    """Treatment -> differences, shape (pairs, summaries), of the treatments due for a look."""
    assert plan.design is not None
    table = score_table(plan, ledger.runs(), ledger.scores(), plan.seeds[:blocks])
    if table is None:
        return {}
    done = {row.treatment for row in known if row.blocks >= blocks} | stopped_after(plan, known).keys()
    seen = {row.treatment: row.n for row in known}
    chosen, found = SummaryMatrix.of(plan.analysis.summaries), {}
    for arm in plan.treatments:
        if arm.id in done or not {arm.id, plan.control.id} <= set(table.arms):
            continue
        pairs = table.paired(arm.id, plan.control.id, chosen.benchmarks)
        if len(pairs.seeds) >= plan.design.n_min and len(pairs.seeds) > seen.get(arm.id, 0):
            found[arm.id] = chosen.differences(pairs)
    return found
