"""What the end of a run tells: an outcome of training, or nothing about it at all."""

import errno
import re

from policies.errors import PolicyError, TrainingFailedError

_INFRASTRUCTURE = {"ActorDiedError", "ActorUnavailableError", "WorkerCrashedError", "NodeDiedError", "RaySystemError",
                   "OutOfMemoryError", "OutOfDiskError", "RayActorError", "ConnectionError", "RuntimeEnvSetupError",
                   "LocalRayletDiedError"}  # fmt: skip
"""Exceptions that say that processes or nodes were lost, not that training failed."""
_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EROFS}
_NOT_FINITE = re.compile(r"\bnan\b|\binf(?:inity|inite)?\b|(?:not|non)[- ]?finite|diverged", re.IGNORECASE)
"""What numerical code says when a loss, gradient or probability is no number any more."""


def is_infrastructure(error: BaseException | None) -> bool:
    """Whether processes, nodes, memory or disk gave out, here or in the worker that an error came from."""
    return any(
        type(one).__name__ in _INFRASTRUCTURE
        or isinstance(one, MemoryError)
        or (isinstance(one, OSError) and one.errno in _EXHAUSTED)
        for one in _chain(error)
    )


def is_training(error: BaseException | None) -> bool:
    """Whether training itself came to its end: not a number, or ended by the algorithm, here or in a worker.

    Such a run is an outcome of its arm: running it again until it survives would select survivors. Of an error that is
    neither this nor infrastructure (a fault in code or settings, a policy's too) nothing is known.
    """
    if isinstance(error, PolicyError):  # whatever numbers it tells of
        return False
    return any(
        isinstance(one, TrainingFailedError | FloatingPointError)
        or type(one).__name__ == TrainingFailedError.__name__  # from a worker, under a class that Ray made
        or bool(_NOT_FINITE.search(_last_line(one)))
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and all that led to it, through Ray's wrappers too."""
    found: list[BaseException] = []
    while error is not None and all(error is not one for one in found):
        found.append(error)
        error = getattr(error, "cause", None) or error.__cause__ or error.__context__
    return found


def _last_line(error: BaseException) -> str:
    """What it says in the end; the traceback that Ray puts before that may name anything."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else ""
