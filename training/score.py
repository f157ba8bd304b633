"""Scores exported models: `python -m training.score JOBS.json`.

JOBS.json is {"jobs": [{"export": FOLDER, "suite": "tiny-12", "answers": FOLDER}, ...]}, absolute folders. One process
does all jobs, since loading torch takes longer than scoring a tiny model. A finished job is skipped; a failed job gets
one line and does not affect the others. Exit code 0: all done; 1: some failed; 2: JOBS.json is unusable.
"""

import os
import sys
import time
from pathlib import Path

from pydantic import ValidationError

from policies.errors import AdvisorError, InputError
from policies.model import StrictModel


class ScoreJob(StrictModel):
    """One exported model to score."""

    export: Path
    suite: str
    answers: Path


class ScoreJobs(StrictModel):
    """The content of JOBS.json."""

    jobs: tuple[ScoreJob, ...]


def read_jobs(path: Path) -> tuple[ScoreJob, ...]:
    """Reads JOBS.json; raises InputError, in one line, if it cannot be used."""
    try:
        jobs = ScoreJobs.model_validate_json(path.read_text(encoding="utf-8")).jobs
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the scoring jobs at {path} ({error}); write them first") from error
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise InputError(f"scoring jobs at {path} are unusable: {faults}") from error
    for job in jobs:
        if not (job.export.is_absolute() and job.answers.is_absolute()):
            raise InputError(f"scoring jobs at {path} need absolute folders, not {job.export} and {job.answers}")
    return jobs


def run_jobs(jobs: tuple[ScoreJob, ...]) -> int:
    """Scores each job in turn with one progress line on stderr; returns the number of failures.

    The lines contain no score, since they may be read before the study is done.
    """
    from training.scoring import SCORES, score_export

    failed = 0
    for number, job in enumerate(jobs, start=1):
        start = time.monotonic()
        skipped = (job.answers / SCORES).is_file()
        try:
            result = score_export(job.export, job.suite, job.answers)
        except AdvisorError as error:
            failed += 1
            sys.stderr.write(f"score {number}/{len(jobs)}: failed: {error}\n")
            continue
        did = "already scored" if skipped else f"scored in {time.monotonic() - start:.1f} s"
        sys.stderr.write(f"score {number}/{len(jobs)}: {did}, {len(result.scores)} benchmarks: {job.export}\n")
    return failed


def main(arguments: list[str]) -> int:
    """Runs the command line and returns the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m training.score JOBS.json\n")
        return InputError.exit_code
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        return min(1, run_jobs(read_jobs(Path(arguments[0]))))
    except AdvisorError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
