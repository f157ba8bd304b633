# ruff: noqa: E501 - a pattern that is cut in two is harder to read than a long line
"""Model and recipe names in a question."""

import re

from advisor.reading.text import READ, Text

_QWEN = re.compile(
    r"(?<![\w/])(?:qwen/)?qwen[- ]?(2\.5|2|3)[- ]?(math|coder)?[- ]?(\d+(?:\.\d+)?)\s?b(?:[- ](instruct|base|chat))?(?!\w)"
)
_LLAMA = re.compile(
    r"(?<![\w/])(?:meta-llama/)?(?:meta[- ])?llama[- ]?(3(?:\.[1-3])?)[- ]?(\d+(?:\.\d+)?)\s?b(?:[- ](instruct|base|chat))?(?!\w)"
)
_HUB = re.compile(r"(?<![\w/.-])([a-z0-9][\w.-]*/[a-z0-9][\w.-]*[a-z0-9])(?![\w/])")
_SIZE = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s?b(?:[- ](instruct|base|chat))?(?![\w])(?: (?:model|scale|parameters?))?"
)
_OTHER = re.compile(
    r"(?<![\w/])((?:mistral|gemma|phi|olmo|deepseek|smollm|internlm|baichuan|yi|glm|chatglm)[-\w.]*\d[-\w.]*)(?![\w/])"
)
_QWEN_25_SIZES = {"0.5", "1.5", "3", "7", "14", "32", "72"}
_RECIPE_WORD = (
    re.compile(r"(?<![\w/-])(?:recipe[:= ]\s*|配方 ?:? ?)([a-z0-9][\w.-]*)"),
    re.compile(r"(?<![\w/-])([a-z0-9][\w.-]*)(?: recipe\b| ?(?:的)?配方)"),
)
_RECIPE_GIVEN = re.compile(r"\b(?:on|with|using|under|by)(?: the)? recipe[:= ]\s*([a-z][\w.-]*)")
_NOT_RECIPES = {"the", "this", "that", "a", "same", "default", "training", "which", "what", "is", "for", "grpo", "one", "and", "or",
                "again", "too", "itself", "against", "as", "in", "at", "of", "to", "unchanged", "fixed", "please"}  # fmt: skip


def read_model(text: Text) -> tuple[str | None, list[str]]:
    """(Hugging Face id or None, notes)."""
    if match := text.take_first(_QWEN):
        version, flavour, size, kind = match.groups()
        middle = f"-{flavour.title()}" if flavour else ""
        return f"Qwen/Qwen{version}{middle}-{size}B{_suffix(kind)}", []
    if match := text.take_first(_LLAMA):
        version, size, kind = match.groups()
        prefix = "Meta-Llama-3" if version == "3" else f"Llama-{version}"
        return f"meta-llama/{prefix}-{size}B{_suffix(kind)}", []
    if match := text.take_first(_HUB):
        typed = text.cased[match.start(1) : match.end(1)]
        if not re.fullmatch(r"[a-z]+/[a-z]+", typed):
            return typed, []
    if match := text.take_first(_OTHER):
        typed = text.cased[match.start(1) : match.end(1)]
        return typed, [f"model {typed!r} was taken as typed; give its Hugging Face id (owner/name) if that is not it"]
    if match := text.take_first(_SIZE):
        return _by_size(match.group(1), match.group(2))
    return None, []


def _by_size(size: str, kind: str | None) -> tuple[str, list[str]]:
    model = f"Qwen/Qwen2.5-{size}B" if size in _QWEN_25_SIZES else f"meta-llama/Llama-3.1-{size}B"
    model += _suffix(kind)
    return model, [f"{size}B was read as {model}"]


def _suffix(kind: str | None) -> str:
    return "-Instruct" if kind in {"instruct", "chat"} else ""


def read_recipe(text: Text, known: tuple[str, ...]) -> str | None:
    """A recipe named in the question: a known name anywhere, or any name beside the word `recipe`."""
    for name in known:
        if text.take_first(re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])(?: recipe)?")):
            return name
    for match in (match for pattern in (*_RECIPE_WORD, _RECIPE_GIVEN) for match in pattern.finditer(text.left)):
        typed = match.group(1).rstrip(".")
        named = match.re is _RECIPE_GIVEN or re.search(r"[-_\d]", typed)
        if named and typed not in _NOT_RECIPES and READ not in typed:
            text.blank(*match.span())
            return typed
    return None
