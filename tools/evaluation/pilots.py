"""The spread that a pilot shows: a score table, or a finished study of one's own."""

from pathlib import Path
from typing import NamedTuple

from policies.errors import InputError
from tools.design.pilot import Pilot
from tools.plan.prior import Prior
from tools.plan.study_plan import PilotSource, StudyPlan
from tools.scores.table import ScoreTable
from training.support.paths import expanded, is_file, is_folder


class PilotSpread(NamedTuple):
    """What a pilot tells of paired differences."""

    prior: Prior
    summaries: dict[str, dict[str, float]]
    """The verdict set that `advisor analyze` would read over the pilot's benchmarks, or that of its study."""
    notes: tuple[str, ...]


def pilot_spread(reference: str, model: str | None = None) -> PilotSpread:
    """Of a score table (a file or folder that `advisor analyze` reads) or of a study (id or folder).

    Every cell (of that model, if one is named) with at least two arms and two complete seeds serves; whatever the
    policies do is an arm effect and stays out. Pilot seeds never enter the confirmatory comparison. Raises InputError
    where nothing can be estimated and for scores that are unfit for a verdict, RefusedError for a study whose scores
    nobody may see yet.
    """
    from tools.scores import integrity
    from tools.scores.summary_matrix import SummaryMatrix
    from tools.scores.verdict_sets import default_verdict_set
    from tools.statistics.power.estimate_prior import estimate_prior

    tables, told = _tables(reference, model)
    usable = [table for table in tables if len(table.arms) > 1 and len(table.seeds) > 1]
    if not usable:
        raise InputError(f"pilot {reference!r} has no cell with two arms and two seeds: no spread can be estimated")
    chosen = default_verdict_set(usable[0].benchmarks, usable[0].domains)
    summaries = told.summaries or chosen.summaries
    for table in usable:
        faults = integrity.faults(table, benchmarks=SummaryMatrix.of(summaries).benchmarks)
        if faults:
            raise InputError(f"pilot {reference!r} gives no spread: {faults[0]}")
    runs = sum(len(table.arms) * len(table.seeds) for table in usable)
    where = f"{len(usable)} cells" if len(usable) > 1 else "one cell"
    source = f"sqrt(2*MSE) of arm + seed in {where} with {runs} runs of {told.name}"
    pooled = f"{len(usable)} cells of the pilot are pooled as if their seeds varied alike; --model picks one model's"
    kind = () if told.summaries else chosen.notes
    notes = (*told.notes, *kind, *([pooled] if len(usable) > 1 and model is None else []))
    return PilotSpread(estimate_prior(usable, summaries, ["pilot"], source), summaries, notes)


class _Told(NamedTuple):
    """What is said of a pilot."""

    name: str
    summaries: dict[str, dict[str, float]] | None = None
    """Of its plan; None: the usual ones over its benchmarks."""
    notes: tuple[str, ...] = ()


def _tables(reference: str, model: str | None) -> tuple[list[ScoreTable], _Told]:
    path = expanded(reference)
    if is_file(path) or (is_folder(path) and not is_file(path / "study.db")):
        return _of_file(path, model), _Told(reference)
    from tools.evaluation.gather import material, score_rows
    from tools.study.folder import find_study
    from tools.study.stored import Stored

    if model is not None:
        raise InputError(f"--model {model} picks cells of a score table, and pilot {reference!r} is none; leave it out")
    study = find_study(reference)
    stored = Stored.read(study)
    plan = stored.plan
    found = None if plan.gives_verdict else material(study).spread
    if found is not None and found.faults:
        raise InputError(f"pilot {stored.id} gives no spread: {found.faults[0]}")
    return [ScoreTable.from_rows(score_rows(stored))], _Told(stored.id, plan.analysis.summaries, _notes(plan))


def _notes(plan: StudyPlan) -> tuple[str, ...]:
    """What a noise study's spread is not."""
    if plan.kind != "noise":
        return ()
    if plan.treatments[0].seed_offset:
        return (f"{plan.control.id} against itself with different seeds: what pairing cuts off is not in this spread",)
    return (f"{plan.control.id} against itself: the differences of two policies may vary more",)


def _of_file(path: Path, model: str | None) -> list[ScoreTable]:
    from tools.scores.readers.read import read_scores

    cells = read_scores([path]).cells
    if model is None:
        return [cell.table for cell in cells]
    named = [(cell.about | cell.group).get("model") for cell in cells]
    found = [cell.table for cell, name in zip(cells, named, strict=True) if str(name) == model]
    if not found:
        models = sorted({str(name) for name in named if name is not None})
        known = f"its models are {', '.join(models)}" if models else "it has no column that separates models"
        raise InputError(f"the pilot {path} has no cell of model {model!r}: {known}")
    return found


def find_pilot(reference: str) -> Pilot:
    """A study by its id or folder. Raises InputError where it gives no spread, RefusedError where it is not done."""
    from tools.evaluation.delivered import delivery_so_far
    from tools.study.folder import find_study
    from tools.study.stored import Stored

    study = find_study(reference)
    stored = Stored.read(study)
    found = pilot_spread(str(study.folder))
    planned = {stored.plan.run_of(arm, seed).seed for arm in stored.plan.arms for seed in stored.plan.seeds}
    source = PilotSource(
        study=stored.id,
        plan_hash=stored.plan_hash,
        seeds=tuple(sorted(planned | {run.seed for run in stored.runs})),
        prior=found.prior.model_copy(update={"benchmark_covariance": None}),
    )
    notes = (f"spread: of {stored.id} ({stored.plan.kind}), not of the prior table", *found.notes)
    if stored.plan.kind == "pilot":
        idle = [one.arm for one in delivery_so_far(study, stored, hidden=False) if one.status == "not_delivered"]
        notes += tuple(f"{arm} did not act in the pilot, so its spread may be too small" for arm in idle)
    if stored.unblindings:
        notes += (f"scores by arm of {stored.id} were seen: {stored.unblindings[0].reason}",)
    return Pilot(source, stored.plan, notes)
