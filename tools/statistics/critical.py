"""By how many standard errors an interval reaches to each side: of a fixed plan, and at a look of a sequential one."""

from collections.abc import Callable
from dataclasses import dataclass

from tools.statistics.paired import critical_t
from tools.statistics.sequential.model import SequentialDesign

Critical = Callable[[int, float], float]
"""(pairs n >= 2, confidence 1 - alpha) -> two-sided critical value of mean / standard error; infinite: no interval."""


def fixed(n: int, confidence: float) -> float:
    """Student's t with n - 1 degrees of freedom, for n pairs that were planned beforehand."""
    return critical_t(n - 1, confidence)


@dataclass(frozen=True)
class Repeated:
    """Of the repeated intervals of a sequential plan: at all looks together they hold with that confidence."""

    design: SequentialDesign

    def __call__(self, n: int, confidence: float) -> float:
        """The bound at the look with n pairs; infinite where no look is made or no error is spent."""
        from tools.statistics.sequential.boundaries import boundaries

        return boundaries(self.design, 1.0 - confidence).get(n, float("inf"))
