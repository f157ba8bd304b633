"""Text from people, logs and files as one harmless line: it may end up on somebody's terminal."""

import re

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Control characters (terminal escapes, line breaks), marks that turn the reading direction, and halves of characters
(what Python makes of bytes that are no UTF-8)."""


def one_line(text: object) -> str:
    """The text without control characters, single spaces between its words."""
    return " ".join(_UNSAFE.sub(" ", str(text)).split())


def middle_cut(text: str, limit: int) -> str:
    """At most `limit` characters: the beginning and the end, with `...` between them."""
    if len(text) <= limit:
        return text
    head = (limit - 5) * 2 // 3
    return f"{text[:head]} ... {text[len(text) - (limit - 5 - head) :]}"
