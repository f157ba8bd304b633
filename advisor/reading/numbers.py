"""Numbers as people write them: `1,000`, `1.5k`, `half a`, `a dozen`, `十二`, `半`."""

import re

_WORDS = {
    "no": 0, "zero": 0, "a": 1, "an": 1, "one": 1, "single": 1, "a single": 1, "two": 2, "a couple of": 2,
    "a pair of": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "a dozen": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "two dozen": 24, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "a hundred": 100, "one hundred": 100,
    "two hundred": 200, "a thousand": 1000, "one thousand": 1000, "a million": 1_000_000, "one million": 1_000_000,
    "a billion": 1_000_000_000, "half": 0.5, "half a": 0.5, "half an": 0.5, "half of a": 0.5, "a half": 0.5,
    "a quarter": 0.25, "a quarter of a": 0.25, "quarter of a": 0.25, "one third": 1 / 3, "a third": 1 / 3,
    "one and a half": 1.5, "two and a half": 2.5,
}  # fmt: skip
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}

_DIGITS = r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?:\s?(?:thousand|million|billion)\b|k\b)?"
_POWER = r"10\s?\^\s?\d{1,2}"
_ENGLISH = r"\b(?:" + "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)) + r")\b"
_HAN = r"(?:半|[零〇一二两三四五六七八九十百千万亿]+)"
LARGEST = 1e15
"""Nobody means more, and up to here every whole number is exact."""
NUMBER = rf"(?:{_POWER}|{_DIGITS}|{_ENGLISH}|{_HAN})"
"""Source of a regular expression for one number; `parse` reads what it matched."""


def parse(text: str) -> float:
    """The value of a string that `NUMBER` matched, at most `LARGEST` on either side of 0."""
    return max(-LARGEST, min(LARGEST, _parse(text.strip().lower())))


def _parse(text: str) -> float:
    if text in _WORDS:
        return float(_WORDS[text])
    if text == "半":
        return 0.5
    if power := re.fullmatch(r"10\s?\^\s?(\d{1,2})", text):
        return float(10 ** int(power.group(1)))
    if digits := re.fullmatch(r"([-+]?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)\s?([a-z]*)", text):
        return float(digits.group(1).replace(",", "")) * _SCALES.get(digits.group(2), 1.0)
    return float(_parse_han(text))


def plain(value: float) -> int | float:
    """An int where the value is whole: `8`, not `8.0`."""
    return int(value) if value == int(value) else value


def _parse_han(text: str) -> int:
    total = section = digit = 0
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_UNITS:
            section += (digit or 1) * _HAN_UNITS[char]
            digit = 0
        else:
            total = (total + section + digit) * (10_000 if char == "万" else 100_000_000)
            section = digit = 0
            total = min(total, int(LARGEST))
    return total + section + digit
