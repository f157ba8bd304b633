"""One matched run: `python -m training.run RUN_DIR`.

Reads RUN_DIR/run.json, holds RUN_DIR/run.lock throughout, trains with verl in child processes, checks and exports the
model, and finally writes RUN_DIR/result.json (files: `training.run_files`). It needs neither torch nor verl in this
process.

Exit code 0: done (now or before). 1: failed permanently. 2: RUN_DIR cannot be used. 75: interrupted by lost processes
or a disk that cannot be written. 143: interrupted by SIGTERM or SIGINT. After an interruption the next attempt
continues from the last checkpoint.
"""

import sys
from pathlib import Path

from policies.errors import AdvisorError, InputError
from policies.installation import check_packages
from training.attempt import Attempt
from training.prepare import prepare
from training.run_files import RunFiles, read_spec
from training.run_spec import RunResult
from training.start_over import start_over_without_proof
from training.support.run_lock import RunLock

EXIT_CODES = {"done": 0, "failed": 1, "interrupted": 75}


def run(folder: Path) -> RunResult:
    """Runs one attempt to its end, or returns the final result if there already is one.

    Raises InputError if the folder has no usable run.json or another process is using it.
    """
    files = RunFiles(folder.resolve())
    spec = read_spec(files)
    with RunLock(files.lock) as lock:
        final = files.final_result()
        if final is not None:
            return final
        number = max((attempt.number for attempt in files.attempts()), default=0) + 1
        attempt = files.attempt(number)
        reason = start_over_without_proof(attempt)
        if reason:
            sys.stderr.write(f"starts over from step 1: {reason}\n")
        prepare(spec, attempt)
        return Attempt(attempt, spec, lock).run()


def main(arguments: list[str]) -> int:
    """Runs the command line and returns the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m training.run RUN_DIR\n")
        return 2
    try:
        check_packages()
        result = run(Path(arguments[0]))
    except AdvisorError as error:
        sys.stderr.write(f"error: {error}\n")
        return InputError.exit_code if isinstance(error, InputError) else error.exit_code
    except OSError as error:
        sys.stderr.write(f"error: cannot use {error.filename or 'the disk'}: {error.strerror or error}\n")
        return EXIT_CODES["interrupted"]
    sys.stderr.write(f"{result.outcome}: {result.steps_done} steps in {result.wall_s:.0f} s. {result.reason}\n")
    return 143 if result.outcome == "interrupted" and result.reason == Attempt.STOPPED else EXIT_CODES[result.outcome]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
