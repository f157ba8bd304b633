# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Kinds of studies that a question may ask for: one that may stop early by a fixed rule, a pilot, one after a pilot."""

import re
from typing import Literal, NamedTuple

from advisor.reading.numbers import NUMBER, parse
from advisor.reading.text import Text


class Sequential(NamedTuple):
    """What the question says about looks before the last seed."""

    asked: bool
    min_seeds: int | None
    """Seeds before the first look; None where none are named."""


_ASKED = re.compile(
    r"\b(?:group[- ])?sequential(?:ly)?\b(?! (?:order|data|curricul\w*|sampl\w+|learning|training|prompts?|reading))"
    r"|\bstop(?:s|ped|ping)?\b[^.?!;]{0,20}\bearl(?:y|ier)\b|\bearly[- ]stop(?:ping|s)?\b|\bearly termination\b"
    r"|\bend(?:s|ing)?\b[^.?!;]{0,20}\bearl(?:y|ier)\b|\binterim (?:looks?|analys[ie]s|tests?)\b|\bseeds? (?:as they come|one (?:at a time|by one))"
    r"|\badaptive (?:number of seeds|sample size|design)\b"
    "|序贯|(?:提前|提早|尽早)(?:停|结束|终止)|早停|(?:期中|中期)(?:分析|检验|查看)|边跑边看|逐个种子"
)
_NOT = re.compile(
    r"(?:\b(?:no|not|never|without|non|don't|do not|doesn't|won't)\b[- ]?(?:\w+ ){0,2}|(?:不|别|勿|无需|没有)(?:要|用|需|能|会|可|做|许|准|必)*)$"
)
_FIRST = re.compile(
    rf"\b(?:at least|no fewer than|minimum(?: of)?|min\.?|first look (?:at|after)|after at least|from) (?P<n>{NUMBER})[- ]?(?:matched |paired )?(?:seeds?|pairs?)\b"
    rf"|(?:至少|最少|不少于) ?(?P<m>{NUMBER}) ?(?:个|颗|对|组)? ?(?:随机|配对)?(?:种子|配对)"
)  # fmt: skip


def read_sequential(text: Text) -> Sequential:
    """Reads and blanks the words, and the least number of seeds where they are there."""
    matches = [match for match in _ASKED.finditer(text.left) if not _NOT.search(text.lower[: match.start()])]
    if not matches:
        return Sequential(False, None)
    for match in matches:
        text.blank(*match.span())
    first = text.take_first(_FIRST)
    return Sequential(True, None if first is None else int(parse(first.group("n") or first.group("m"))))


_PILOT_WORD = r"(?:\bpilots?(?: (?:study|studies|runs?|experiments?))?\b|预实验|预研|先导性?(?:实验|研究|试验)?|试点)"
_AFTER_ONE = re.compile(
    rf"\b(?:after|from|following|based on|given|using|with)(?: the| a| my| our| its| that)* {_PILOT_WORD}"
    "|(?:在|根据|按照|基于)?(?:预实验|预研|先导性?(?:实验|研究|试验)?|试点)(?:之后|以后|后|的结果)"
)
_PILOT = re.compile(_PILOT_WORD)
AFTER_PILOT = "the pilot was not looked for; name the study with --after-pilot STUDY"
"""Said of a question that comes after a pilot which nobody named."""


def read_pilot(text: Text) -> Literal["asked", "after", "none"]:
    """Reads and blanks the words."""
    if text.take_first(_AFTER_ONE):
        return "after"
    return "asked" if text.take_first(_PILOT) else "none"
