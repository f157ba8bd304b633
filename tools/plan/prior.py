"""The prior on the spread of paired differences, known before any run of the study."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from policies.model import StrictModel


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
        """Returns rows and columns of these names in their order, shape (names, names); None if one is absent."""
        if any(name not in self.names for name in names):
            return None
        at = [self.names.index(name) for name in names]
        return np.asarray(self.values, dtype=np.float64)[np.ix_(at, at)]


class Prior(StrictModel):
    """The SD of one seed's paired difference, with the degrees of freedom of its estimate."""

    names: tuple[str, ...] = Field(min_length=1)
    """Recipes and models to which it applies."""
    source: str
    df: int | None = Field(ge=1)
    """Degrees of freedom of the SDs; None: taken as exact."""
    sd: dict[str, float]
    """Summary -> SD, score points."""
    correlation: NamedMatrix | None = None
    """Correlation of the differences under the summaries."""
    benchmark_covariance: NamedMatrix | None = None
    """Covariance of the differences on the benchmarks; if known, it gives the SD under any summary."""

    @model_validator(mode="after")
    def _sds_are_positive(self) -> "Prior":
        if not self.sd or any(value <= 0 for value in self.sd.values()):
            raise ValueError("every SD must be above 0")
        return self
