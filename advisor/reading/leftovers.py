"""What a question says and nobody read: numbers without a known unit, names after `recipe`, `summary`, `benchmark`."""

import re
from difflib import get_close_matches

from advisor.reading.text import Text

_NUMBER = re.compile(
    r"(?<![\w.,-])(?:[-+]?\d[\d.,:^e+-]*%?"
    r"|[-+]?(?:nan|inf|infinity|infinite\w*|(?:hundred|thousand|million|billion|dozen)s?)\b)(?: ?[a-z%][\w-]*)?"
)
_NAMED = re.compile(
    r"\b(?:on|with|using|under|by|for)(?: the)? (recipe|summary|benchmark|suite)[:= ]\s*([a-z~./][\w~./-]*)"
)


def unread(text: Text, names: dict[str, tuple[str, ...]]) -> list[str]:
    """A note for each; `names` are the known ones of a kind (`recipe`, `summary`, `benchmark`, `suite`)."""
    found = []
    for match in text.take(_NAMED):
        kind, typed = match.groups()
        if typed in names[kind]:
            continue
        near = get_close_matches(typed, names[kind], n=3, cutoff=0.4) or names[kind]
        found.append(f"no {kind} is called {typed!r}, so it was not used; there are: {', '.join(near)}")
    numbers = [text.cased[slice(*match.span())].strip(" .,:") for match in _NUMBER.finditer(text.left)]
    if numbers:
        shown = ", ".join(repr(number) for number in numbers[:5])
        found.append(f"not used: {shown} (said twice, or without a unit that is known here, such as '5 seeds')")
    return found
