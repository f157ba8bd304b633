"""What is read of a chat completion, checked: a server may send anything."""

import json
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from advisor.llm_failure import LLMError

MOST_TOKENS = 10**9
Words = Annotated[str, AfterValidator(lambda text: text.encode("utf-8", "replace").decode("utf-8"))]
"""Halves of characters, which JSON can write and nothing can send on, become question marks."""


class Message(BaseModel):
    """What the model said."""

    content: Words | None = None
    refusal: Words | None = None


class Choice(BaseModel):
    """One answer."""

    message: Message
    finish_reason: str | None = None


class Spent(BaseModel):
    """Tokens, as the server counts them."""

    prompt_tokens: int = Field(default=0, ge=0, le=MOST_TOKENS)
    completion_tokens: int = Field(default=0, ge=0, le=MOST_TOKENS)


class Completion(BaseModel):
    """The first choice is read; no choice is an empty answer."""

    choices: list[Choice] | None = None
    usage: Spent | None = None


def parse_completion(content: bytes, place: str) -> Completion:
    """The reply of a server; LLMError (`foreign_reply`) for anything that is no chat completion."""
    try:
        return Completion.model_validate(json.loads(content))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        words = f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}"
    except (ValueError, RecursionError):
        words = "no JSON"
    raise LLMError("foreign_reply", f"{place} does not reply as an OpenAI-compatible server does ({words}); "
                                    "check OPENAI_BASE_URL") from None  # fmt: skip
