# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Who is treatment and who is control, and which way the question leans."""

import re
from typing import Literal, NamedTuple

from advisor.reading.mentions import Mention
from advisor.reading.text import Text
from advisor.reading.vocabulary import default_control

CONTROLS = ("baseline", "static")
_VERSUS = re.compile(
    r"\b(?:vs\.?|versus|against|over|than|beat(?:s|en|ing)?|with|to|lose(?:s)? to|relative|outperform\w*|underperform\w*|match(?:es)?|from|improv\w+ (?:up)?on)(?!\w)|打得?过|打不过|优于|好于|胜过|超过|不如|输给|强于|弱于|对比|比(?!例|较)|对|跟"
)
_HEAD_TO_HEAD = re.compile(
    r"head[- ](?:to|2)[- ]head|\bbetween\b|\bcompar\w*\b|\bdifferen\w+\b|\bwhich\b|\beach other\b|\bor\b|\bvs\b|\bversus\b|比较|对比|哪个|还是|之间"
)
_WORSE = re.compile(
    r"\b(?:lose[sd]?|losing|worse|worst|hurts?|harms?|harmful|degrad\w+|underperform\w*|damag\w+|inferior|backfir\w+|weaker)\b|变差|更差|不如|输给|有害|拖累|差(?![别异距值])|打不过|弱于"
)
_BETTER = re.compile(
    r"\b(?:beat\w*|better|helps?|helpful|improv\w*|outperform\w*|gains?|wins?|superior|pays? off|boost\w*|stronger)\b|打得?过|优于|好于|更好|提升|有用|有效|帮助|胜过|超过|强于|赢"
)


class Roles(NamedTuple):
    """Treatments in reading order and their control; `control` None when several usual ones compete."""

    treatments: tuple[str, ...]
    control: str | None
    direction: Literal["better", "worse"] | None
    notes: tuple[str, ...]


def assign_roles(text: Text, mentions: list[Mention]) -> Roles:
    """Reads the roles; at least one policy must be mentioned."""
    named = tuple(dict.fromkeys(name for mention in mentions for name in mention.names))
    direction = _direction(text)
    if any(name in CONTROLS for name in named):
        return _against_named_control(text, mentions, named, direction)
    families = any(len(mention.names) > 1 for mention in mentions)
    after = _after_separator(text, mentions)
    if len(named) >= 2 and not families and len(after) == 1 and after[0] != named[0]:
        return Roles(tuple(name for name in named if name != after[0]), after[0], direction, ())
    if len(named) == 2 and not families and text.has(_HEAD_TO_HEAD):
        return Roles(named[:1], named[1], direction, (f"read as a head-to-head with {named[1]} as the control",))
    controls = tuple(dict.fromkeys(default_control(name) for name in named))
    if len(controls) > 1:
        return Roles(named, None, direction, ())
    return Roles(named, controls[0], direction, (f"no control was named: {controls[0]} is the usual one",))


def _against_named_control(
    text: Text, mentions: list[Mention], named: tuple[str, ...], direction: Literal["better", "worse"] | None
) -> Roles:
    others = tuple(name for name in named if name not in CONTROLS)
    present = tuple(name for name in named if name in CONTROLS)
    if not others:
        if len(present) == 1:
            return Roles(present, default_control(present[0]), direction, ())
        return Roles(present[:1], present[1], direction, ())
    control = present[0]
    if len(present) == 2:
        after = [name for name in _after_separator(text, mentions) if name in CONTROLS]
        control = after[-1] if after else present[1]
    treatments = tuple(name for name in named if name != control)
    if named[0] == control and direction is not None and len(present) == 1 and _subject_first(text, mentions):
        direction = "worse" if direction == "better" else "better"
    return Roles(treatments, control, direction, ())


def _subject_first(text: Text, mentions: list[Mention]) -> bool:
    """Whether the first mention is what the verb is about: `does static beat tscl`, not `over static, does tscl help`."""
    between = text.lower[mentions[0].end : mentions[1].start] if len(mentions) > 1 else ""
    return bool(_BETTER.search(between) or _WORSE.search(between))


def _after_separator(text: Text, mentions: list[Mention]) -> list[str]:
    """Policies mentioned after the last `vs`, `than`, `with` ... that stands between two mentions."""
    for index in range(len(mentions) - 1, 0, -1):
        gap = text.lower[mentions[index - 1].end : mentions[index].start]
        if _VERSUS.search(gap):
            earlier = sum(
                bool(_VERSUS.search(text.lower[mentions[i - 1].end : mentions[i].start])) for i in range(1, index)
            )
            if earlier:
                return []
            return list(dict.fromkeys(name for mention in mentions[index:] for name in mention.names))
    return []


def _direction(text: Text) -> Literal["better", "worse"] | None:
    better, worse = text.has(_BETTER), text.has(_WORSE)
    if better == worse:
        return None
    return "worse" if worse else "better"
