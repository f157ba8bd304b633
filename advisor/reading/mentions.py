# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Where a question names policies and families, in order, each with its place in the text."""

import re
from functools import cache
from typing import NamedTuple

from advisor.reading.text import POLICY, Text
from advisor.reading.vocabulary import BY_NAME, FAMILIES, POLICIES, family_members, known_names, loadable


class Mention(NamedTuple):
    """Policies named at one place (several for a family)."""

    names: tuple[str, ...]
    start: int
    end: int
    words: str


_PER_UPPER = re.compile(r"(?<![A-Za-z0-9_])PER(?![A-Za-z0-9_])")
_PER_LOWER = re.compile(
    r"(?<![a-z0-9_])per(?=\s*\(|\s+(?:vs|versus|against|with|and|or|over|beats?|helps?|wins?|loses?|improves?|better|worse|outperforms?|on|at)\b|\s*[,?]|\s*$|\s*[\u4e00-\u9fff])"
    r"|(?<=\bis )per(?= (?:better|worse|any|good|useful|really|just)\b)|(?<=\bvs )per\b|(?<=\bversus )per\b|(?<=\bpolicy )per\b"
)


def find_mentions(text: Text) -> list[Mention]:
    """All mentions in reading order; their words are blanked in `text`."""
    found: list[Mention] = []
    for family, pattern in FAMILIES:
        found += [Mention(family_members(family), m.start(), m.end(), m.group()) for m in text.take(pattern, POLICY)]
    for match in _PER_UPPER.finditer(text.cased):
        if text.left[match.start() : match.end()] == "per":
            text.blank(*match.span(), POLICY)
            found.append(Mention(("per",), *match.span(), "per"))
    for name, pattern in policy_patterns():
        found += [Mention((name,), m.start(), m.end(), m.group()) for m in text.take(pattern, POLICY)]
    found += [Mention(("per",), m.start(), m.end(), "per") for m in text.take(_PER_LOWER, POLICY)]
    return sorted(found, key=lambda mention: mention.start)


@cache
def policy_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(name, pattern), longest phrase first, so that `uniform mixture` is not read as `uniform`."""
    phrases = [(policy.name, phrase) for policy in POLICIES for phrase in policy.phrases]
    phrases += [(name, re.escape(alias)) for name, alias in _plugin_aliases()]
    phrases += [(policy.name, re.escape(policy.name)) for policy in POLICIES if policy.name != "per"]
    ordered = sorted(phrases, key=lambda item: (item[0] != "static", -len(item[1])))
    return tuple((name, _bordered(phrase)) for name, phrase in ordered)


def _plugin_aliases() -> list[tuple[str, str]]:
    """Names and aliases that the registry knows and the built-in table does not."""
    added: list[tuple[str, str]] = []
    for name in known_names():
        cls = loadable(name)
        spoken = {alias.lower() for alias in (cls.aliases if cls else ())} | {name}
        if name in BY_NAME:
            own = [re.compile(_border(phrase)) for phrase in BY_NAME[name].phrases]
            spoken = {alias for alias in spoken if not any(pattern.fullmatch(alias) for pattern in own)}
        added += [(name, alias) for alias in sorted(spoken - {"per", "grpo"})]
    return added


def _bordered(phrase: str) -> re.Pattern[str]:
    return re.compile(_border(phrase))


def _border(phrase: str) -> str:
    return rf"(?<![a-z0-9_])(?:{phrase})(?![a-z0-9_])" if re.search(r"[a-z]", phrase) else phrase
