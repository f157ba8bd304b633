"""Prompts as files: `prompts/NAME.md` with front matter (purpose, variables, reply), filled in and checked."""

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

import yaml

_FRONT = re.compile(r"\A---\n(.*?)\n---\n(.*)\Z", re.DOTALL)
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_MARK = re.compile(r"<(/?)\s*data\b", re.IGNORECASE)


class Prompt(NamedTuple):
    """One prompt file."""

    name: str
    purpose: str
    variables: tuple[str, ...]
    reply: str
    """Name of the pydantic model that the reply must fit."""
    text: str

    def render(self, **values: str) -> str:
        """The text with every variable filled in; ValueError when one is missing or unheard of."""
        if set(values) != set(self.variables):
            raise ValueError(f"prompt {self.name} takes {sorted(self.variables)}, got {sorted(values)}")
        return _VARIABLE.sub(lambda match: values[match.group(1)], self.text)


@cache
def load_prompt(name: str) -> Prompt:
    """Reads `prompts/NAME.md`; ValueError when front matter and text do not name the same variables."""
    source = resources.files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    match = _FRONT.match(source)
    if match is None:
        raise ValueError(f"prompts/{name}.md has no front matter")
    front = yaml.safe_load(match.group(1))
    prompt = Prompt(name, front["purpose"], tuple(front["variables"]), front["reply"], match.group(2).strip())
    if set(_VARIABLE.findall(prompt.text)) != set(prompt.variables):
        raise ValueError(f"prompts/{name}.md: its variables are not those of its text")
    return prompt


def as_data(text: str, label: str) -> str:
    """A block that marks text as data; a mark inside the text is defused, so that the text cannot close its block."""
    defused = _MARK.sub(r"<\1 data-", text)
    return f'<data label="{label}">\n{defused}\n</data>'
