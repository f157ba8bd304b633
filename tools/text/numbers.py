"""How numbers are written, in one place, so that a value reads the same wherever it stands.

Means are rounded to the nearest hundredth of a point. Interval limits and bounds are rounded *outwards*: what a
rounded limit excludes, the stored one excludes too. A limit that is not zero is never written as zero.
"""

import math
from typing import Literal

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NOISE = 1e-9
"""Steps of the last decimal below this are floating-point noise: 0.30000000000000004 is 0.3."""
_NUDGE = 1e-12
"""A half that arithmetic left a hair below itself still rounds as a half, on every machine."""

_FINER = 8
"""Decimals that a share may get beyond the usual ones."""

MISSING = "-"
"""Stands where there is no value."""


def finite(value: object) -> float | None:
    """The value as a float; None where it is no finite number: NaN, infinity, a flag, text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer that no float holds
        return None


def fixed(value: float | None, decimals: int = 2) -> str:
    """To the nearest, halves away from zero, without a sign for plus and never as -0.00."""
    if value is None or not math.isfinite(value):
        return MISSING
    text = f"{value * (1 + _NUDGE):.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float | None, decimals: int = 2) -> str:
    """As `fixed`, with a plus before a positive value: a difference of means."""
    text = fixed(value, decimals)
    return f"+{text}" if text != MISSING and float(text) > 0 else text


def limit(value: float | None, side: Literal["low", "high"], decimals: int = 2) -> str:
    """An interval limit, rounded outwards, with more decimals where these would put it on zero."""
    if value is None or not math.isfinite(value):
        return MISSING
    outwards = math.floor if side == "low" else math.ceil
    for places in range(decimals, decimals + 5):
        scaled = value * 10**places
        nearest = round(scaled)
        steps = nearest if abs(scaled - nearest) < _NOISE * max(1.0, abs(scaled)) else outwards(scaled)
        if steps != 0:
            return fixed(steps / 10**places, places)
    return fixed(0.0, decimals)


def interval(low: float | None, high: float | None, decimals: int = 2) -> str:
    """`[low, high]`, or the mark for a missing value."""
    return (
        MISSING if low is None or high is None else f"[{limit(low, 'low', decimals)}, {limit(high, 'high', decimals)}]"
    )


def percent(share: float, decimals: int = 1) -> str:
    """A share of 1 as per cent, without needless zeros: `95 %`, `98.3 %`; 0 % and 100 % mean none and all of it."""
    text = f"{100 * share:.{decimals}f}"
    if 0 < share < 1:
        finer = (f"{100 * share:.{places}f}" for places in range(decimals, decimals + _FINER))
        text = next((one for one in finer if 0 < float(one) < 100), text)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def short(value: float) -> str:
    """A setting as it was typed: `1.0`, `0.5`, `0.0002`."""
    text = f"{value:.6g}"
    return text if any(mark in text for mark in ".e") else f"{text}.0"


def points(value: float) -> str:
    """A setting in score points with its unit: `1.0 point`, `0.5 points`."""
    return f"{short(value)} {'point' if value == 1 else 'points'}"


def word(count: int) -> str:
    """A count in words up to twelve."""
    return _WORDS[count] if 0 <= count < len(_WORDS) else f"{count:,}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`one seed`, `three seeds`, `40 seeds`."""
    return f"{word(count)} {noun if count == 1 else plural or noun + 's'}"


def listed(items: tuple[str, ...] | list[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def capital(text: str) -> str:
    """First letter upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def every(count: int, noun: str, plural: str = "") -> str:
    """`the one seed`, `both seeds`, `all three seeds`."""
    several = plural or f"{noun}s"
    return {1: f"the one {noun}", 2: f"both {several}"}.get(count, f"all {word(count)} {several}")


def p_value(value: float | None) -> str:
    """To three decimals, a small one in powers of ten: `0.423`, `9.8e-04`."""
    return f"{value:.1e}" if value is not None and 0 < value < 0.001 else fixed(value, 3)


def rounded_up(hours: float) -> str:
    """Two significant digits, never less than the value: what a person may copy into `--budget`."""
    digits = 1 - math.floor(math.log10(hours)) if hours > 0 else 0
    step = 10.0**-digits
    return f"{math.ceil(hours / step - 1e-9) * step:.{max(0, digits)}f}"
