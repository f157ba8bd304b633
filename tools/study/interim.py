"""Scores by arm before a study is done; only for a study that was unblinded."""

from policies.errors import InputError, RefusedError
from policies.model import StrictModel
from tools.scores.summary_matrix import SummaryMatrix
from tools.statistics.levels import family_confidence
from tools.statistics.paired import Critical, fixed, paired_columns
from tools.statistics.sequential.repeated import Repeated
from tools.study.folder import Study, write_exports
from tools.study.rows import UnblindingRow
from tools.study.stored import Stored, score_table
from tools.text.numbers import finite
from tools.text.plain_text import one_line


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
    """Limits at the family-wise level. Sequential plan: a repeated interval if a look is planned at this n, else None.
    Fixed plan: the interval that would hold if the study ended here, which was not planned."""


class Interim(StrictModel):
    """The interim results of an unblinded study; no verdict."""

    schema_version: int = 1
    study: str
    unblinded: str
    repeated: bool
    """Whether the intervals are those of a sequential plan's looks."""
    rows: tuple[InterimRow, ...]


def unblind(study: Study, who: str, reason: str) -> UnblindingRow:
    """Records that scores by arm will be shown, so that every later change of the plan is exploratory.

    Raises InputError without a reason; RefusedError if there is no score yet, or if the study is done and its report
    has every score (a pilot's never has).
    """
    reason, who = one_line(reason).strip(), one_line(who).strip()
    if not reason:
        raise InputError("an unblinding needs a reason; give it with --reason TEXT")
    with study.ledger() as ledger:
        if ledger.study().state == "done" and ledger.plan().kind != "pilot":
            raise RefusedError(f"{study.folder.name} is done: its report shows every score; see: advisor report")
        if not ledger.scores():
            raise RefusedError(f"{study.folder.name} has no scores yet, so there is nothing to unblind")
        with ledger.transaction():
            row = ledger.unblind(who or "unknown user", reason)
            ledger.event("unblinded", f"by {row.who}: {reason}")
        write_exports(study, ledger)
    return row


def interim_scores(study: Study) -> Interim:
    """Returns means by arm and differences so far. Raises RefusedError unless the study was unblinded."""
    stored = Stored.read(study)
    if not stored.unblindings:
        raise RefusedError(
            f"{study.folder.name} is blind: scores by arm stay hidden until its stop rule fires; to see them anyway: "
            f"advisor unblind {study.name} --reason TEXT"
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
                    low=finite(low[at]),
                    high=finite(high[at]),
                )
            )
    return Interim(
        study=stored.id,
        unblinded="; ".join(f"by {row.who} at {row.at}: {row.reason}" for row in stored.unblindings),
        repeated=plan.design is not None,
        rows=tuple(rows),
    )
