"""verl's custom reward function: marks a rollout exactly as scoring would."""

from collections.abc import Mapping
from typing import Any

from training.benchmarks.catalog import benchmark
from training.grading.graders import GradingError, grader

TRAINING_SUITE = "tiny-12"


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **_: object,
) -> dict[str, float]:
    """1 for a right answer, else 0, as `score` (the reward) and `acc` (what verl logs as accuracy).

    The grader is that of `extra_info["benchmark"]`. Raises GradingError where the row itself is broken: a training run
    must stop there, for a reward of 0 would look like a bad model.
    """
    name = (extra_info or {}).get("benchmark")
    if not isinstance(name, str):
        raise GradingError(f"a training row of {data_source!r} names no benchmark in extra_info; write the data again")
    right = float(grader(benchmark(TRAINING_SUITE, name).grader)(solution_str, ground_truth).right)
    return {"score": right, "acc": right}
