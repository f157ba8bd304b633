"""The half-width, in standard errors, of the repeated intervals of a sequential plan."""

from dataclasses import dataclass

from tools.plan.sequential_design import SequentialDesign


@dataclass(frozen=True)
class Repeated:
    """Critical values of the repeated intervals of a sequential plan, which hold jointly over all looks."""

    design: SequentialDesign

    def __call__(self, n: int, confidence: float) -> float:
        """Returns the bound at the look with n pairs; infinite if there is no look or no error is spent."""
        from tools.statistics.sequential.boundaries import boundaries

        return boundaries(self.design, 1.0 - confidence).get(n, float("inf"))
