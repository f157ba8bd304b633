"""Prompts as files: `prompts/NAME.md` with front matter (purpose, variables, reply), filled in and checked.

The file alone is a template: what is filled in, a person's words among it, is never rendered.
"""

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

import frontmatter
from jinja2 import Environment, StrictUndefined
from jinja2.meta import find_undeclared_variables
from pydantic import ValidationError

from policies.model import StrictModel, describe_faults

_JINJA = Environment(undefined=StrictUndefined)  # noqa: S701 - a prompt is text, no HTML
_MARK = re.compile(r"<(/?)\s*data\b", re.IGNORECASE)


class FrontMatter(StrictModel):
    """What a prompt file says of itself."""

    purpose: str
    variables: tuple[str, ...]
    reply: str
    """Name of the pydantic model that the reply must fit."""


class Prompt(NamedTuple):
    """One prompt file."""

    name: str
    front: FrontMatter
    text: str

    def render(self, **values: str) -> str:
        """The text with every variable filled in; ValueError when one is missing or unheard of."""
        if set(values) != set(self.front.variables):
            raise ValueError(f"prompt {self.name} takes {sorted(self.front.variables)}, got {sorted(values)}")
        return _JINJA.from_string(self.text).render(values)


@cache
def load_prompt(name: str) -> Prompt:
    """Reads `prompts/NAME.md`; ValueError when its front matter lacks a key or names other variables than its text."""
    return parse_prompt(name, resources.files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8"))


def parse_prompt(name: str, source: str) -> Prompt:
    """A prompt from the content of its file; raises ValueError as `load_prompt` does."""
    said, text = frontmatter.parse(source)
    try:
        front = FrontMatter.model_validate(said)
    except ValidationError as error:
        raise ValueError(f"prompts/{name}.md: front matter: {describe_faults(error)}") from error
    if find_undeclared_variables(_JINJA.parse(text)) != set(front.variables):
        raise ValueError(f"prompts/{name}.md: its variables are not those of its text")
    return Prompt(name, front, text)


def as_data(text: str, label: str) -> str:
    """A block that marks text as data; a mark inside the text is defused, so that the text cannot close its block."""
    defused = _MARK.sub(r"<\1 data-", text)
    return f'<data label="{label}">\n{defused}\n</data>'
