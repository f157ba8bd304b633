"""What the run folders of a study hold for its report: results, reward curves, lengths; and what of it is damaged."""

from collections.abc import Iterator

from policies.errors import InputError
from tools.evaluation.material import Curve, Deviation, Outcome, ReportRun
from tools.study.folder import Study
from tools.study.follow import REWARD
from tools.study.rows import RunRow
from tools.study.run_folder import read_result
from tools.study.stored import Stored
from tools.text.numbers import finite
from training.run_files import RunFiles

RESPONSE_LENGTH = "response_length/mean"


def report_run(study: Study, stored: Stored, row: RunRow) -> ReportRun:
    """One run with its attempts and what they cost; 0 steps where its result cannot be read."""
    attempts = [attempt for attempt in stored.attempts if attempt.run == row.id]
    walls = [attempt.ended - attempt.started for attempt in attempts if attempt.ended is not None]
    return ReportRun(
        arm=row.arm,
        seed=row.seed,
        state=row.state,
        attempts=len(attempts),
        steps=_steps(study, row) or 0,
        wall_s=sum(walls) if walls else None,
        device_hours=sum(attempt.device_hours or 0.0 for attempt in attempts),
        reason=row.reason,
        folder=row.folder,
    )


def _steps(study: Study, row: RunRow) -> int | None:
    try:
        result = read_result(study.run_dir(row))
    except InputError:
        return None
    return result.steps_done if result else None


def _series(study: Study, stored: Stored, run: RunRow, metric: str) -> tuple[tuple[int, float], ...]:
    """(step, value) of every planned step; empty where one is missing or no finite number: no half a curve."""
    rows = RunFiles(study.run_dir(run)).metrics()
    found = {step: value for step, data in rows.items() if (value := finite(data.get(metric))) is not None}
    return tuple(found.items()) if list(found) == list(range(1, stored.plan.recipe.steps + 1)) else ()


def damage(study: Study, stored: Stored) -> Iterator[Deviation]:
    """What lies in the study folder and cannot be read; faults of records that the verdict needs are elsewhere."""
    for run in stored.runs:
        lacking = [] if run.state != "done" or _series(study, stored, run, REWARD) else ["the metrics of every step"]
        if run.state == "done" and _steps(study, run) is None:
            lacking.append("a readable result")
        if lacking:
            yield Deviation(when="in the stored files", what=f"{run.folder} lacks {' and '.join(lacking)}")
        for attempt in RunFiles(study.run_dir(run)).attempts():
            if attempt.started_over.is_file():
                reason = attempt.started_over.read_text(encoding="utf-8").strip()
                yield Deviation(
                    when=f"attempt {attempt.number}", what=f"{run.folder} started over from step 1: {reason}"
                )


def curves(study: Study, stored: Stored) -> tuple[Curve, ...]:
    """Mean training reward of every run whose metrics are whole."""
    return tuple(
        Curve(arm=run.arm, seed=run.seed, points=points)
        for run in stored.runs
        if (points := _series(study, stored, run, REWARD))
    )


def outcomes(study: Study, stored: Stored) -> tuple[Outcome, ...]:
    """What a policy may change besides scores: response length, and what the run cost."""
    lengths: dict[str, dict[str, float]] = {}
    hours: dict[str, dict[str, float]] = {}
    for run in stored.runs:
        series = [value for _, value in _series(study, stored, run, RESPONSE_LENGTH)]
        if series:
            lengths.setdefault(run.arm, {})[str(run.seed)] = sum(series) / len(series)
        spent = sum(attempt.device_hours or 0.0 for attempt in stored.attempts if attempt.run == run.id)
        hours.setdefault(run.arm, {})[str(run.seed)] = spent
    outcomes = (
        Outcome(name="response length", unit="tokens", values=lengths),
        Outcome(name="device-hours of training", unit="h", decimals=4, values=hours),
    )
    return tuple(outcome for outcome in outcomes if outcome.values)
