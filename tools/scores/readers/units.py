"""Converts scores to points of 100, or asks for their unit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError

UNITS = ("", "percent", "fraction")
_DIGITS = 10
"""Products are rounded to this many decimals: 0.29 * 100 is 28.999999999999996 in binary."""


class Points(NamedTuple):
    """Scores in points of 100."""

    values: NDArray[np.float64]
    notes: tuple[str, ...]
    stated: bool
    """Whether the unit was stated, by the user or by percent signs."""


def in_points(values: NDArray[np.float64], unit: str, percent_signs: bool) -> Points:
    """Returns the scores in points of 100.

    unit: `percent`, `fraction` or empty, if the scores themselves must show it. Raises InputError if they do not (every
    score is in 0..1), and for fractions above 1: nothing is multiplied unless it was stated.
    """
    if unit not in UNITS:
        raise InputError(f"unknown unit {unit!r}: use percent or fraction")
    given = values[np.isfinite(values)]
    top = float(given.max()) if given.size else 0.0
    if unit == "fraction":
        if percent_signs:
            raise InputError("the scores have percent signs, so they are not fractions: omit --unit fraction")
        if top > 1:
            raise InputError(f"{top:g} is not a fraction of 1: omit --unit fraction, or correct the score")
        return Points(np.round(values * 100, _DIGITS), ("fractions, as stated: multiplied by 100",), True)
    if unit == "percent" or percent_signs:
        return Points(values, (), True)
    if 0 < top <= 1 and float(given.min()) >= 0:
        raise InputError(
            f"every score is in 0..1 (the highest is {top:g}), so percent and fractions look alike: "
            "state the unit with --unit fraction or --unit percent"
        )
    return Points(values, (), False)
