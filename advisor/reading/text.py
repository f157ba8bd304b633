"""A question as the reader sees it: normalised once, then eaten span by span so that no word is read twice."""

import re
import unicodedata
from collections.abc import Iterator

_DASHES = str.maketrans({"‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "×": "x", "’": "'", "“": '"', "”": '"'})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")

READ = "\x01"
"""Stands where something was read."""
POLICY = "\x00"
"""Stands where a policy was read."""


class Text:
    """The question, aligned: `cased` as typed, `lower`, and `left`: lower case with what was read blanked out."""

    def __init__(self, question: str) -> None:
        plain = unicodedata.normalize("NFKC", question).translate(_DASHES)
        self.cased = re.sub(r"\s+", " ", _CONTROL.sub(" ", plain)).strip()
        self.lower = "".join(low if len(low := char.lower()) == 1 else char for char in self.cased)
        self.left = self.lower

    @property
    def chinese(self) -> bool:
        """Whether any Han character occurs: answers then come in Chinese."""
        return re.search(r"[\u4e00-\u9fff]", self.cased) is not None

    def take(self, pattern: re.Pattern[str], mark: str = READ) -> Iterator[re.Match[str]]:
        """Yields the matches in what is left, blanking each one (with a mark that no pattern crosses)."""
        for match in list(pattern.finditer(self.left)):
            if match.end() > match.start():
                self.blank(match.start(), match.end(), mark)
                yield match

    def take_first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match in what is left, blanked; None when there is none."""
        match = pattern.search(self.left)
        if match is not None and match.end() > match.start():
            self.blank(match.start(), match.end())
        return match

    def blank(self, start: int, end: int, mark: str = READ) -> None:
        """Marks a span as read."""
        self.left = self.left[:start] + mark * (end - start) + self.left[end:]

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the whole question (read or not) contains the pattern."""
        return pattern.search(self.lower) is not None
