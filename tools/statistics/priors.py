"""How much paired differences vary by chance, before any run of the study: the shipped table `priors.yaml`."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from policies.errors import InputError
from policies.model import StrictModel
from tools.statistics.summary_matrix import SummaryMatrix


class NamedMatrix(StrictModel):
    """A square symmetric matrix with named rows."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    @model_validator(mode="after")
    def _is_square_and_symmetric(self) -> "NamedMatrix":
        if any(len(row) != len(self.names) for row in self.values) or len(self.values) != len(self.names):
            raise ValueError(f"matrix must have {len(self.names)} rows and columns, as many as names")
        if not np.allclose(self.values, np.transpose(self.values), rtol=0, atol=1e-6):
            raise ValueError("matrix must be symmetric")
        return self

    def of(self, names: Collection[str]) -> NDArray[np.float64] | None:
        """Rows and columns of these names, in their order; None if one is absent."""
        if any(name not in self.names for name in names):
            return None
        at = [self.names.index(name) for name in names]
        return np.asarray(self.values, dtype=np.float64)[np.ix_(at, at)]


class Spread(NamedTuple):
    """Of the paired differences under S summaries."""

    sd: NDArray[np.float64]
    """(S,) score points."""
    covariance: NDArray[np.float64] | None
    """(S, S); None where only the SDs are known."""


class Prior(StrictModel):
    """SD of one seed's paired difference, with how well it is known."""

    names: tuple[str, ...] = Field(min_length=1)
    """Recipes and models that it speaks for."""
    source: str
    df: int | None = Field(ge=1)
    """Degrees of freedom that the SDs rest on; None: taken as exact."""
    sd: dict[str, float]
    """Summary -> SD, score points."""
    correlation: NamedMatrix | None = None
    """Of the differences under the summaries."""
    benchmark_covariance: NamedMatrix | None = None
    """Of the differences on the benchmarks; serves any summary, when known."""

    @model_validator(mode="after")
    def _sds_are_positive(self) -> "Prior":
        if not self.sd or any(value <= 0 for value in self.sd.values()):
            raise ValueError("every SD must be above 0")
        return self

    def spread(self, summaries: Mapping[str, Mapping[str, float]]) -> Spread:
        """SDs, and the covariance if known, of these summaries (name -> weights).

        Raises InputError for a summary that has no SD here and no benchmark covariance to get it from.
        """
        if all(name in self.sd for name in summaries):
            sd = np.array([self.sd[name] for name in summaries])
            correlation = self.correlation.of(summaries) if self.correlation else None
            return Spread(sd, None if correlation is None else correlation * np.outer(sd, sd))
        chosen = SummaryMatrix.of(summaries)
        known = self.benchmark_covariance.of(chosen.benchmarks) if self.benchmark_covariance else None
        if known is None:
            unknown = ", ".join(name for name in summaries if name not in self.sd)
            raise InputError(f"no prior SD of summary {unknown} for {self.names[0]}: give its SD, or run a pilot")
        covariance = chosen.covariance(known)
        return Spread(np.sqrt(np.diag(covariance)), covariance)


class _PriorTable(StrictModel):
    schema_version: int
    priors: tuple[Prior, ...]


def find_prior(*names: str) -> Prior | None:
    """The prior of the first of these recipes or models that has one, else None."""
    table = _by_name()
    return next((table[name] for name in names if name in table), None)


def prior(*names: str) -> Prior:
    """`find_prior`, raising InputError with the nearest names where there is none."""
    found = find_prior(*names)
    if found is None:
        near = get_close_matches(names[0] if names else "", _by_name(), n=3, cutoff=0.4) or list(_by_name())
        raise InputError(
            f"no prior SD for {' or '.join(map(repr, names))}: nearest known are {', '.join(near)}; else run a pilot"
        )
    return found


@cache
def _by_name() -> dict[str, Prior]:
    import yaml

    text = resources.files("tools.statistics").joinpath("priors.yaml").read_text(encoding="utf-8")
    table = _PriorTable.model_validate(yaml.safe_load(text))
    return {name: entry for entry in table.priors for name in entry.names}
