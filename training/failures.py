"""Classifies the errors that end a run: a failure of training is an outcome, one of infrastructure is not."""

import errno
import re

from policies.errors import PolicyError, TrainingFailedError

_INFRASTRUCTURE = {"ActorDiedError", "ActorUnavailableError", "WorkerCrashedError", "NodeDiedError", "RaySystemError",
                   "OutOfMemoryError", "OutOfDiskError", "RayActorError", "ConnectionError", "RuntimeEnvSetupError",
                   "LocalRayletDiedError"}  # fmt: skip
"""Exceptions that mean that processes or nodes were lost, not that training failed."""
_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EROFS}
_NOT_FINITE = re.compile(r"\bnan\b|\binf(?:inity|inite)?\b|(?:not|non)[- ]?finite|diverged", re.IGNORECASE)
"""Messages of numerical code about a loss, gradient or probability that is not finite."""


def is_infrastructure(error: BaseException | None) -> bool:
    """Returns whether processes, nodes, memory or disk failed, here or in the worker that an error came from."""
    return any(
        type(one).__name__ in _INFRASTRUCTURE
        or isinstance(one, MemoryError)
        or (isinstance(one, OSError) and one.errno in _EXHAUSTED)
        for one in _chain(error)
    )


def is_training(error: BaseException | None) -> bool:
    """Returns whether training itself failed, here or in a worker: a value was not finite, or the algorithm ended it.

    Such a run is an outcome of its arm: repeating it until it survives would select survivors. An error that is neither
    this nor infrastructure (a fault in code or settings, also of a policy) is unclassified.
    """
    if isinstance(error, PolicyError):  # even if its message mentions such values
        return False
    return any(
        isinstance(one, TrainingFailedError | FloatingPointError)
        or type(one).__name__ == TrainingFailedError.__name__  # from a worker, as a class created by Ray
        or bool(_NOT_FINITE.search(_last_line(one)))
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and all its causes, through Ray's wrappers too."""
    found: list[BaseException] = []
    while error is not None and all(error is not one for one in found):
        found.append(error)
        error = getattr(error, "cause", None) or error.__cause__ or error.__context__
    return found


def _last_line(error: BaseException) -> str:
    """The last line of its message; the traceback that Ray puts before it may contain anything."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else ""
