# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Which benchmark summary the question is about."""

import re

from advisor.reading.text import Text

_DROP = (
    r"(?:drop|droping|dropping|without|exclud\w+|ignor\w+|leav\w+ out|leave out|remov\w+|except(?: for)?|minus|omit\w*|skip\w*|not counting|no|other than|besides"
    r"|去掉|不算|排除|不含|不包括|剔除|忽略|除了|不考虑)"
)
_DOMAINS = {"math": r"(?:maths?|mathematics|数学)", "logic": r"(?:logic(?:al)?|逻辑)", "science": r"(?:sciences?|科学)"}
_PRIMARY = r"\b(?:domain[- ]balanced(?: (?:average|mean|score|summary))?|balanced (?:average|mean|score))|领域(?:均衡|平衡)(?:平均)?"
_FIXED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("math_heavy_6", re.compile(r"\bmath[- ]?(?:heavy|focus+ed|weighted|centric|leaning)|(?:偏|侧重|偏重)数学|数学(?:为主|偏重|比重大)")),
    ("domain_balanced_12", re.compile(_PRIMARY)),
    (
        "flat_12",
        re.compile(
            r"\bflat(?:[- ](?:12|average|mean|score|summary))?\b|\b(?:plain|simple|unweighted|straight|equal-weight)[- ](?:average|mean)"
            r"|\baverage (?:of|over|across) (?:all )?(?:the )?(?:12|twelve)|(?:简单|算术|直接|不加权)(?:的)?平均"
        ),
    ),
)  # fmt: skip


def read_summary(text: Text, known: tuple[str, ...]) -> tuple[str | None, list[str]]:
    """(summary name or None, notes). An explicit name wins over a description."""
    for name in sorted(known, key=len, reverse=True):
        if text.take_first(re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])")):
            return name, []
    for name, pattern in _FIXED:
        if text.take_first(pattern):
            return name, []
    return _read_domains(text)


def _read_domains(text: Text) -> tuple[str | None, list[str]]:
    for domain, word in _DOMAINS.items():
        gap = r"\s*(?:the |all |any )?(?:\w+ )?"
        if text.take_first(
            re.compile(rf"{_DROP}{gap}{word}|{word}\s*(?:excluded|left out|dropped|aside|除外|不算)|non-{word}")
        ):
            return f"no_{domain}", []
    named = [domain for domain, word in _DOMAINS.items() if re.search(rf"(?<![a-z_]){word}(?![a-z_])", text.left)]
    if len(named) == 2:
        (absent,) = set(_DOMAINS) - set(named)
        return f"no_{absent}", [f"{named[0]} and {named[1]} were read as the summary no_{absent}"]
    if len(named) == 1:
        return None, [
            f"{named[0]} alone is a diagnostic: it is reported, and the verdict reads the summaries of the plan"
        ]
    return None, []
