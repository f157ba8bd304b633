"""Looks at a sequential study: after each seed block, each treatment that still runs stops or goes on."""

from collections.abc import Iterable

from tools.scores.table import ScoreTable
from tools.statistics.sequential.model import Look
from tools.statistics.summary_matrix import SummaryMatrix
from tools.study.ledger import Ledger
from tools.study.ledger_core import now
from tools.study.paired_scores import score_table
from tools.study.plan import StudyPlan
from tools.study.rows import LookRow
from tools.study.schedule import stopped_after


def look_after(plan: StudyPlan, ledger: Ledger, blocks: int) -> tuple[LookRow, ...]:
    """Takes and records the looks that are due after that many seed blocks; gives them all, old ones included.

    A decision that is recorded is never taken again, so that a supervisor that comes back decides nothing twice. No
    look is made before `n_min` complete pairs, nor again where a lost pair added none.
    """
    if plan.design is None:
        return ()
    known = ledger.looks()
    done = {row.treatment for row in known if row.blocks == blocks} | stopped_after(plan, known).keys()
    seen = {row.treatment: row.n for row in known}
    table = score_table(plan, ledger.runs(), ledger.scores(), plan.seeds[:blocks])
    digest, fresh = ledger.plan_hash(), []
    for arm in plan.treatments:
        if arm.id in done or table is None:
            continue
        found = _look(plan, table, arm.id)
        if found is not None and found.n > seen.get(arm.id, 0):
            at = now()
            fresh.append(
                LookRow(
                    arm.id, blocks, found.n, found.decision, found.blinded_reason, found.model_dump_json(), digest, at
                )
            )
    ledger.add_looks(fresh)
    return (*known, *fresh)


def told_blind(rows: Iterable[LookRow], treatments: int) -> str:
    """What may be said of the looks after one block while the study is blind.

    With several treatments only how many stop: the runs show which, and why would tell how its scores lie.
    """
    found = tuple(rows)
    if treatments == 1:
        return found[0].blinded_reason if found else ""
    stop = sum(row.stops for row in found)
    return f"{stop} of {len(found)} treatments looked at need no further seed" if found else ""


def _look(plan: StudyPlan, table: ScoreTable, treatment: str) -> Look | None:
    """At all complete pairs of a table; None before the first look is due."""
    from tools.statistics.sequential.look import look

    assert plan.design is not None
    analysis = plan.analysis
    chosen = SummaryMatrix.of(analysis.summaries)
    pairs = table.paired(treatment, plan.control.id, chosen.benchmarks)
    if len(pairs.seeds) < plan.design.n_min:
        return None
    alpha = (1.0 - analysis.confidence) / analysis.family_size
    return look(chosen.differences(pairs), plan.design, alpha, analysis.sesois())
