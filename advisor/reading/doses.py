# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""One policy at several strengths: `tscl at temperature 0.3, 1 and 3`, `tscl 温度 0.3、1 和 3`."""

import re

from advisor.reading.mentions import Mention
from advisor.reading.numbers import plain
from advisor.reading.parameters import SAMPLING, owner_of, parameter_words, parameters_of
from advisor.reading.text import Text
from tools.plan.intent import DoseAsked

_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?"
_UNIT = r"(?:gpus?|hours?|hrs?|h|days?|runs?|jobs?|steps?|updates|points?|pts?|pp|seeds?|pairs?|prompts?|rollouts?|arms?|summar\w*|benchmarks?)\b|[xX] |个|颗|次|步|分|点|卡|天|小时"
_NEXT = (
    rf"(?:\s*(?:,\s*(?:and|or)\b|,|/|、|，|;|and\b|or\b|和|与|以及|或)\s*)({_NUMBER})(?![\w.%])(?!\s*[-]?(?:{_UNIT}))"
)
_VALUES = re.compile(rf"{_NUMBER}(?![\w.%])(?!\s*[-]?(?:{_UNIT}))(?:{_NEXT})+")


def read_doses(text: Text, mentions: list[Mention]) -> tuple[DoseAsked, ...]:
    """Reads and blanks every parameter that is given two values or more, next to the policy that has it."""
    text.take_first(SAMPLING)
    words = parameter_words()
    names = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = re.compile(
        rf"(?<![a-z0-9_])({names})s?(?: of| is| are| at| in| to| values?| strengths?|=|:|为|是|取|分别|\s|[\[{{(])*\s*({_VALUES.pattern})[\]}})]?"
    )
    found: dict[tuple[str, str], tuple[float | int, ...]] = {}
    for match in list(pattern.finditer(text.left)):
        parameter = words[match.group(1)]
        owner = owner_of(parameter, match.start(), mentions)
        if owner is None or parameter not in parameters_of(owner):  # the registry objects where one value is read
            continue
        text.blank(*match.span())
        values = tuple(plain(float(number)) for number in re.findall(_NUMBER, match.group(2)))
        found.setdefault((owner, parameter), values)
    return tuple(
        DoseAsked(policy=policy, parameter=parameter, values=values) for (policy, parameter), values in found.items()
    )
