# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Policy parameters named in a question, given to the policy that they stand next to."""

import re
from typing import NamedTuple

from advisor.reading.mentions import Mention
from advisor.reading.numbers import NUMBER, parse, plain
from advisor.reading.text import Text
from advisor.reading.vocabulary import BY_NAME, loadable

Value = bool | int | float | str

_SPOKEN = {
    "keep fraction": "keep_fraction", "keep ratio": "keep_fraction", "keep_ratio": "keep_fraction", "fraction": "keep_fraction",
    "temp": "temperature", "tau": "temperature", "温度": "temperature", "exploration": "c", "warm-up": "warmup",
    "lower bound": "low", "upper bound": "high", "eps": "epsilon", "保留比例": "keep_fraction", "下限": "floor",
}  # fmt: skip
_CALL = re.compile(r"\s*\(([^()]*=[^()]*)\)")
_PAIR = re.compile(r"([a-z_][\w.]*)\s*=\s*(\"[^\"]*\"|'[^']*'|[^,;\s]+)")
_SHARE = re.compile(
    rf"(?:保留)?一(半)|(?:(?:keep(?:ing|s)?|best|top|largest|highest|strongest|保留|前)[ -]*(?:only |the |just |best |top |about )*)"
    rf"({NUMBER}) ?(%|percent|of \d+(?: rollouts?| samples?)?|of\b)?"
)
_TOP_SHARE = re.compile(
    r"\b(?:top|best)[ -](?:half|(?:a )?quarter|\d+(?:\.\d+)? ?%)[^.?!]{0,40}\b(?:batch|rollouts?|advantages?|samples?|selection)"
)
_OBJECTED = frozenset({"temperature", "floor", "alpha", "keep_fraction", "epsilon"})
"""Parameters that are handed to a policy even when it has none of that name, so that the registry objects."""
_BETWEEN = re.compile(r"(?:between|within|from) (0?\.\d+) (?:and|to) (0?\.\d+|1(?:\.0)?)")
SAMPLING = re.compile(r"(?:sampling|rollout|decoding|generation) temperature")
"""Of the rollouts: the recipe's, no policy's."""


class Parameters(NamedTuple):
    """What was read."""

    values: dict[str, dict[str, Value]]
    """Policy -> parameter -> value; judged later, by the registry."""
    twice: tuple[str, ...]
    """`policy.parameter` that was given two values: one policy at several strengths."""


def read_parameters(text: Text, mentions: list[Mention]) -> Parameters:
    """Reads and blanks every parameter."""
    given = [(mention.names[0], key, value) for mention in mentions for key, value in _read_call(text, mention.end)]
    for key, value, place in _read_spoken(text, mentions):
        owner = owner_of(key, place, mentions)
        if owner is not None:
            given.append((owner, key, value))
    found: dict[str, dict[str, Value]] = {}
    twice = []
    for owner, key, value in given:
        if found.setdefault(owner, {}).setdefault(key, value) != value:
            twice.append(f"{owner}.{key}")
    return Parameters(found, tuple(dict.fromkeys(twice)))


def implies_topk(text: Text) -> re.Match[str] | None:
    """`the best half of the batch`: topk in words, where no policy with a keep fraction is named."""
    return _TOP_SHARE.search(text.left)


def _read_call(text: Text, end: int) -> list[tuple[str, Value]]:
    """`name(key=value, ...)` right after a mention; any key is taken, so that the registry can object to it."""
    match = _CALL.match(text.left, end)
    if match is None:
        return []
    pairs = [(key, literal(value)) for key, value in _PAIR.findall(match.group(1))]
    text.blank(*match.span())
    return pairs


def literal(text: str) -> Value:
    """The value as typed: bool, number or text."""
    text = text.strip("\"'")
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(NUMBER, text) and re.match(r"[-+\d]", text):
        return plain(parse(text))
    return text


def _read_spoken(text: Text, mentions: list[Mention]) -> list[tuple[str, Value, int]]:
    """`alpha 0.7`, `temperature = 2`, `温度 0.5`, `keep half`, `best 25%`: (parameter, value, place)."""
    text.take_first(SAMPLING)
    words = sorted(parameter_words(), key=len, reverse=True)
    spoken = re.compile(
        rf"(?<![a-z0-9_])({'|'.join(map(re.escape, words))})(?: of| is| at| to|=|:|为|是|\s)*\s*({NUMBER}|true\b|false\b|efficiency\b|short\b)(\s?%)?"
    )
    found: list[tuple[str, Value, int]] = []
    spelled = parameter_words()
    owned = {key for mention in mentions for name in mention.names for key in parameters_of(name)}
    for match in list(spoken.finditer(text.left)):
        key = spelled[match.group(1)]
        if key == "alpha" and key not in owned:
            continue
        text.blank(*match.span())
        value = plain(parse(match.group(2))) if re.fullmatch(NUMBER, match.group(2)) else literal(match.group(2))
        found.append(
            (key, plain(value / 100) if match.group(3) and isinstance(value, int | float) else value, match.start())
        )
    if {"low", "high"} <= owned and (between := text.take_first(_BETWEEN)):
        found += [
            ("low", plain(parse(between.group(1))), between.start()),
            ("high", plain(parse(between.group(2))), between.start()),
        ]
    for match in text.take(_SHARE):
        half, number, unit = match.groups()
        share = _share(half or number, unit)
        if share is not None:
            found.append(("keep_fraction", share, match.start()))
        elif number and unit != "%":
            found.append(("k", plain(parse(number)), match.start()))
    return found


def _share(number: str | None, unit: str | None) -> float | None:
    if number is None:
        return None
    value = parse(number)
    if unit in {"%", "percent"}:
        return plain(round(value / 100, 6))
    return value if 0 < value < 1 else None


def owner_of(key: str, place: int, mentions: list[Mention]) -> str | None:
    """The nearest policy that has the parameter: before the number if there is one, else after it."""
    having = [
        (mention, name) for mention in mentions if len(mention.names) == 1 for name in mention.names if key in parameters_of(name)
    ]  # fmt: skip
    before = [(mention.start, name) for mention, name in having if mention.start <= place]
    after = [(mention.start, name) for mention, name in having if mention.start > place]
    if before:
        return max(before)[1]
    if after:
        return min(after)[1]
    return _wrong_owner(place, mentions) if key in _OBJECTED else None


def _wrong_owner(place: int, mentions: list[Mention]) -> str | None:
    named = [
        (abs(place - mention.start), mention.names[0])
        for mention in mentions
        if mention.names[0] not in {"baseline", "static"}
    ]
    return min(named)[1] if named else None


def parameter_words() -> dict[str, str]:
    """Every word for a parameter -> its name."""
    names = {name for policy in BY_NAME for name in parameters_of(policy)}
    return {name: name for name in names} | _SPOKEN


def parameters_of(name: str) -> tuple[str, ...]:
    """Parameter names of a policy; none of one that is unknown or cannot be loaded."""
    cls = loadable(name)
    return tuple(cls.Parameters.model_fields) if cls else ()
