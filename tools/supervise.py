"""The supervisor: takes an approved study to its report: block, score, look, next block.

    python -m tools.supervise STUDY_DIR [--take-over]

It needs neither a terminal nor an LLM. Killed at any point, it leaves runs that live on and a ledger from which the
next supervisor continues; nothing is run twice. Exit codes: 0 done, 1 interrupted or blocked, 3 refused, 4 budget,
143 stopped.
"""

import signal
import sys
from pathlib import Path

from policies.errors import AdvisorError
from tools.study.database import now
from tools.study.folder import Study
from tools.study.supervisor.session import Services
from tools.study.supervisor.supervise import supervise
from tools.write_report import evaluate


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that closes ends nothing
    folders = [argument for argument in arguments if argument != "--take-over"]
    if len(folders) != 1:
        sys.stderr.write("usage: python -m tools.supervise STUDY_DIR [--take-over]\n")
        return 2
    try:
        return supervise(
            Study(Path(folders[0]).absolute()), Services.installed(evaluate), take_over="--take-over" in arguments
        )
    except AdvisorError as error:
        sys.stderr.write(f"{now()} {error}\n")
        return error.exit_code
    except OSError as error:
        sys.stderr.write(f"{now()} cannot use {error.filename}: {error.strerror}; fix that, then resume\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
