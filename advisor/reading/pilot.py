"""Whether a question asks for a pilot, or for what comes after one."""

import re
from typing import Literal

from advisor.reading.text import Text

_WORD = r"(?:\bpilots?(?: (?:study|studies|runs?|experiments?))?\b|预实验|预研|先导性?(?:实验|研究|试验)?|试点)"
_AFTER = re.compile(
    rf"\b(?:after|from|following|based on|given|using|with)(?: the| a| my| our| its| that)* {_WORD}"
    "|(?:在|根据|按照|基于)?(?:预实验|预研|先导性?(?:实验|研究|试验)?|试点)(?:之后|以后|后|的结果)"
)
_PILOT = re.compile(_WORD)
AFTER_PILOT = "the pilot was not looked for; name the study with --after-pilot STUDY"
"""Said of a question that comes after a pilot which nobody named."""


def read_pilot(text: Text) -> Literal["asked", "after", "none"]:
    """Reads and blanks the words."""
    if text.take_first(_AFTER):
        return "after"
    return "asked" if text.take_first(_PILOT) else "none"
