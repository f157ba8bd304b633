"""Scores by arm before a study is done: only for a study that somebody has unblinded."""

import math

from policies.errors import InputError, RefusedError
from policies.model import StrictModel
from tools.plain_text import one_line
from tools.statistics.critical import Critical, Repeated, fixed
from tools.statistics.family import family_confidence
from tools.statistics.paired_columns import paired_columns
from tools.statistics.summary_matrix import SummaryMatrix
from tools.study.paired_scores import score_table
from tools.study.rows import UnblindingRow
from tools.study.stored import Stored
from tools.study.study import Study, write_exports


class InterimRow(StrictModel):
    """One treatment under one summary so far; score points."""

    treatment: str
    summary: str
    n: int
    """Complete pairs."""
    treatment_mean: float
    control_mean: float
    difference: float
    low: float | None
    high: float | None
    """At the family's level: a repeated interval where the plan is sequential and has a look there, else None; of a
    fixed plan the interval that would hold if it ended here, which was not planned."""


class Interim(StrictModel):
    """What an unblinded study shows on its way; no verdict."""

    schema_version: int = 1
    study: str
    unblinded: str
    repeated: bool
    """The intervals are those of a sequential plan's looks."""
    rows: tuple[InterimRow, ...]


def unblind(study: Study, who: str, reason: str) -> UnblindingRow:
    """Records that scores by arm will be seen: every later change of the plan is exploratory.

    Raises InputError without a reason, RefusedError where there is nothing to see or a report shows it all; a pilot's
    never does.
    """
    reason, who = one_line(reason).strip(), one_line(who).strip()
    if not reason:
        raise InputError("an unblinding needs a reason; give it with --reason TEXT")
    with study.ledger() as ledger:
        if ledger.study().state == "done" and ledger.plan().kind != "pilot":
            raise RefusedError(f"{study.folder.name} is done: its report shows every score; see: advisor report")
        if not ledger.scores():
            raise RefusedError(f"{study.folder.name} has no score yet, so there is nothing to see")
        with ledger.transaction():
            row = ledger.unblind(who or "unknown user", reason)
            ledger.event("unblinded", f"by {row.who}: {reason}")
        write_exports(study, ledger)
    return row


def interim(study: Study) -> Interim:
    """Means by arm and differences so far. RefusedError while nobody has unblinded the study."""
    stored = Stored.read(study)
    if not stored.unblindings:
        raise RefusedError(
            f"{study.folder.name} is blind: scores by arm stay hidden until its stop rule fires; to see them all the "
            f"same: advisor unblind {study.name} --reason TEXT"
        )
    plan, analysis = stored.plan, stored.plan.analysis
    table = score_table(plan, stored.runs, stored.scores, plan.seeds)
    chosen = SummaryMatrix.of(analysis.summaries)
    rows = []
    for arm in plan.treatments:
        if table is None or not {arm.id, plan.control.id} <= set(table.arms):
            continue
        pairs = table.paired(arm.id, plan.control.id, chosen.benchmarks)
        if not pairs.seeds:
            continue
        columns = paired_columns(chosen.differences(pairs))
        design = stored.design_of(arm.id)
        critical: Critical = fixed if design is None else Repeated(design)
        low, high = columns.limits(family_confidence(analysis.confidence, analysis.family_size), critical)
        ours, theirs = (values.mean(axis=0) @ chosen.weights for values in (pairs.treatment, pairs.control))
        for at, summary in enumerate(chosen.summaries):
            rows.append(
                InterimRow(
                    treatment=arm.id,
                    summary=summary,
                    n=columns.n,
                    treatment_mean=float(ours[at]),
                    control_mean=float(theirs[at]),
                    difference=float(columns.mean[at]),
                    low=_known(float(low[at])),
                    high=_known(float(high[at])),
                )
            )
    return Interim(
        study=stored.id,
        unblinded="; ".join(f"by {row.who} at {row.at}: {row.reason}" for row in stored.unblindings),
        repeated=plan.design is not None,
        rows=tuple(rows),
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
