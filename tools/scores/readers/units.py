"""Scores in points of 100, or a clear question about their unit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.errors import InputError

UNITS = ("", "percent", "fraction")
_DIGITS = 10
"""0.29 * 100 is 28.999999999999996 in binary: products are rounded to this many decimals."""


class Points(NamedTuple):
    """Scores in points of 100."""

    values: NDArray[np.float64]
    notes: tuple[str, ...]
    stated: bool
    """The unit was stated, by the person or by percent signs."""


def in_points(values: NDArray[np.float64], unit: str, percent_signs: bool) -> Points:
    """The scores in points of 100.

    unit: `percent`, `fraction` or empty, where the scores must show it themselves. Raises InputError where they do not
    (every one lies in 0..1), and for fractions above 1: nothing is multiplied unasked.
    """
    if unit not in UNITS:
        raise InputError(f"unknown unit {unit!r}: use percent or fraction")
    given = values[np.isfinite(values)]
    top = float(given.max()) if given.size else 0.0
    if unit == "fraction":
        if percent_signs:
            raise InputError("the scores carry percent signs, so they are no fractions: leave --unit fraction out")
        if top > 1:
            raise InputError(f"{top:g} is no fraction of 1: leave --unit fraction out, or correct the score")
        return Points(np.round(values * 100, _DIGITS), ("fractions, as stated: multiplied by 100",), True)
    if unit == "percent" or percent_signs:
        return Points(values, (), True)
    if 0 < top <= 1 and float(given.min()) >= 0:
        raise InputError(
            f"every score lies in 0..1 (the highest is {top:g}), so points of 100 and fractions look alike: "
            "say which with --unit fraction or --unit percent"
        )
    return Points(values, (), False)
