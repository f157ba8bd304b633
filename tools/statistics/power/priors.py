"""The spread of paired differences before any run of the study, from the shipped table `priors.yaml`."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError
from policies.model import StrictModel
from tools.plan.prior import Prior
from tools.scores.summary_matrix import SummaryMatrix
from training.support.nearest import nearest


class Spread(NamedTuple):
    """The spread of the paired differences under S summaries."""

    sd: NDArray[np.float64]
    """(S,) score points."""
    covariance: NDArray[np.float64] | None
    """(S, S); None if only the SDs are known."""


class _PriorTable(StrictModel):
    schema_version: int
    priors: tuple[Prior, ...]


def spread(prior: Prior, summaries: Mapping[str, Mapping[str, float]]) -> Spread:
    """Returns the SDs, and the covariance if known, of these summaries (name -> weights) according to a prior.

    Raises InputError for a summary that has neither an SD nor a benchmark covariance in the prior.
    """
    if all(name in prior.sd for name in summaries):
        sd = np.array([prior.sd[name] for name in summaries])
        correlation = prior.correlation.of(summaries) if prior.correlation else None
        return Spread(sd, None if correlation is None else correlation * np.outer(sd, sd))
    chosen = SummaryMatrix.of(summaries)
    known = prior.benchmark_covariance.of(chosen.benchmarks) if prior.benchmark_covariance else None
    if known is None:
        unknown = ", ".join(name for name in summaries if name not in prior.sd)
        raise InputError(f"no prior SD for summary {unknown} on {prior.names[0]}: give its SD, or run a pilot")
    covariance = chosen.covariance(known)
    return Spread(np.sqrt(np.diag(covariance)), covariance)


def find_prior(*names: str) -> Prior | None:
    """Returns the prior of the first of these recipes or models that has one, else None."""
    table = _by_name()
    return next((table[name] for name in names if name in table), None)


def prior(*names: str) -> Prior:
    """Returns the prior as `find_prior` does; raises InputError with the nearest names if there is none."""
    found = find_prior(*names)
    if found is None:
        near = nearest(names[0] if names else "", _by_name()) or tuple(_by_name())
        raise InputError(
            f"no prior SD for {' or '.join(map(repr, names))}: use one of {', '.join(near)}, or run a pilot"
        )
    return found


@cache
def _by_name() -> dict[str, Prior]:
    import yaml

    text = resources.files("tools.statistics.power").joinpath("priors.yaml").read_text(encoding="utf-8")
    table = _PriorTable.model_validate(yaml.safe_load(text))
    return {name: entry for entry in table.priors for name in entry.names}
