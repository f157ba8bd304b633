"""An OpenAI-compatible client that answers with a validated pydantic object, or says which way it failed.

Chat completions (local servers often lack Responses). A reply that is no JSON, echoes the schema or breaks the model is
sent back with its faults, at most twice. Rate limits and server errors are retried with bounded backoff. Tokens are
counted and capped. The key never appears in a message: whatever the server says is scrubbed.
"""

import json
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from advisor.completion import Completion, parse_completion
from advisor.llm_failure import REPAIRABLE, LLMError
from advisor.settings import Settings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam

MAX_REPAIRS = 2
MAX_TRIES = 4
"""Of one request, on rate limits and server errors."""
MAX_WAIT_S = 20.0

R = TypeVar("R", bound=BaseModel)
Check = Callable[[Any], list[str]]


class Usage(NamedTuple):
    """Tokens spent, as the server counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    @property
    def total(self) -> int:
        """Prompts and replies."""
        return self.prompt_tokens + self.reply_tokens


class LLM:
    """One configured model; `usage` adds up over its life."""

    def __init__(self, settings: Settings, sleep: Callable[[float], None] = time.sleep) -> None:
        import httpx2
        from openai import OpenAI

        from advisor.bounded_http import bounded_client

        self._settings = settings
        self._sleep = sleep
        self._schema_reply = True
        try:
            self._client = OpenAI(
                api_key=settings.key_text or "none",
                base_url=settings.base_url,
                timeout=settings.llm_timeout_s,
                max_retries=0,
                http_client=bounded_client(settings.llm_timeout_s),
            )
        except httpx2.InvalidURL:
            raise LLMError("rejected", f"{settings.place} is not a valid address; fix OPENAI_BASE_URL") from None
        self.usage = Usage()

    def ask(self, system: str, user: str, reply: type[R], check: Check | None = None) -> R:
        """One structured reply. `check` returns faults beyond the schema (empty: none). Raises LLMError."""
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        failure: LLMError | None = None
        for _ in range(1 + MAX_REPAIRS):
            text = self._text(messages, reply)
            try:
                return _validated(text, reply, check)
            except LLMError as error:
                if error.kind not in REPAIRABLE:
                    raise
                failure = error
                messages += [
                    {"role": "assistant", "content": text[:4000] or "(empty)"},
                    {
                        "role": "user",
                        "content": f"That reply cannot be used: {error}. Send the whole JSON object again.",
                    },
                ]
        assert failure is not None
        raise LLMError(failure.kind, f"{failure} (after {MAX_REPAIRS} repairs)")

    def _text(self, messages: "list[ChatCompletionMessageParam]", reply: type[BaseModel]) -> str:
        if self.usage.total >= self._settings.llm_token_limit:
            limit = self._settings.llm_token_limit
            raise LLMError(
                "token_limit", f"{self.usage.total} of {limit} LLM tokens are used up; raise ADVISOR_LLM_TOKEN_LIMIT"
            )
        completion = self._retried(messages, reply)
        if completion.usage is not None:
            prompt, answer = completion.usage.prompt_tokens, completion.usage.completion_tokens
            self.usage = Usage(
                self.usage.calls + 1, self.usage.prompt_tokens + prompt, self.usage.reply_tokens + answer
            )
        else:
            self.usage = self.usage._replace(calls=self.usage.calls + 1)
        return self._content(completion)

    def _content(self, completion: Completion) -> str:
        if not completion.choices:
            return ""
        choice = completion.choices[0]
        if choice.message.refusal or choice.finish_reason == "content_filter":
            words = self._scrub(choice.message.refusal or "content filter")
            raise LLMError("refusal", f"the LLM refused to read the question ({words}); rephrase it")
        if choice.finish_reason == "length":
            tokens = self._settings.llm_reply_tokens
            raise LLMError(
                "truncated", f"the LLM's reply was cut off at {tokens} tokens; raise ADVISOR_LLM_REPLY_TOKENS"
            )
        return choice.message.content or ""

    def _retried(self, messages: "list[ChatCompletionMessageParam]", reply: type[BaseModel]) -> Completion:
        import openai
        import tenacity

        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(MAX_TRIES),
            wait=_wait,
            retry=tenacity.retry_if_exception(_is_passing),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(self._create, messages, reply)
        except (openai.OpenAIError, UnicodeError) as error:
            raise self._failure(error) from None

    def _create(self, messages: "list[ChatCompletionMessageParam]", reply: type[BaseModel]) -> Completion:
        """One request; a server that does not know structured replies is asked again without."""
        import openai

        assert self._settings.model is not None
        extra: dict[str, Any] = {"max_tokens": self._settings.llm_reply_tokens, "temperature": 0}
        if self._schema_reply:
            schema = {"name": reply.__name__, "schema": reply.model_json_schema()}
            extra["response_format"] = {"type": "json_schema", "json_schema": schema}
        try:
            answer = self._client.chat.completions.with_raw_response.create(
                model=self._settings.model, messages=messages, **extra
            )
            return parse_completion(answer.content, self._settings.place)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if not self._schema_reply or not re.search(r"response_format|json_schema", str(error)):
                raise
            self._schema_reply = False
            return self._create(messages, reply)

    def _failure(self, error: Exception) -> LLMError:
        import openai

        from advisor.bounded_http import TooMuchError

        words = self._scrub(str(error))
        place = self._settings.place
        if isinstance(error, openai.APITimeoutError):
            seconds = self._settings.llm_timeout_s
            return LLMError(
                "timeout", f"{place} did not reply within {seconds:g} s; raise ADVISOR_LLM_TIMEOUT_S or try later"
            )
        if isinstance(error.__cause__, TooMuchError):
            return LLMError("foreign_reply", f"{place} sent {error.__cause__}; check OPENAI_BASE_URL")
        if isinstance(error, openai.APIConnectionError):
            return LLMError("no_server", f"no LLM server answers at {place}; start it or fix OPENAI_BASE_URL")
        if isinstance(error, openai.APIStatusError) and 300 <= error.status_code < 400:
            return LLMError("rejected", f"{place} redirects requests; set OPENAI_BASE_URL to the final address")
        if isinstance(error, UnicodeError):
            return LLMError("rejected", "OPENAI_BASE_URL or ADVISOR_MODEL contains a character that cannot be sent")
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            return LLMError("auth", f"{place} does not accept the key; set OPENAI_API_KEY to a valid one")
        if isinstance(error, openai.RateLimitError):
            return LLMError("rate_limit", f"{place} rate-limits requests ({words}); wait, or use another ADVISOR_MODEL")
        if isinstance(error, openai.NotFoundError):
            return LLMError(
                "unknown_model", f"{place} does not serve {self._settings.model!r}; set ADVISOR_MODEL to one it serves"
            )
        if isinstance(error, openai.InternalServerError):
            return LLMError("server_error", f"{place} returned a server error ({words}); try again later")
        if re.search(r"context.{0,20}(?:length|window)|maximum context|too many tokens", words, re.IGNORECASE):
            return LLMError("context_overflow", f"the question does not fit the model's context ({words}); shorten it")
        return LLMError("rejected", f"{place} rejected the request ({words}); check ADVISOR_MODEL and OPENAI_BASE_URL")

    def _scrub(self, text: str) -> str:
        """One short line in which the key, or what the server shows of a key, is blanked."""
        key = self._settings.key_text
        if key:
            text = text.replace(key, "***")
        text = re.sub(r"\b(?:sk|key|Bearer)[-_ ][\w*.-]{4,}", "***", text)
        return " ".join(text.split())[:200]


def _validated(text: str, reply: type[R], check: Check | None) -> R:
    document = _json_object(text)
    if "$defs" in document or ({"properties", "type"} <= document.keys() and document.get("type") == "object"):
        raise LLMError("schema_echo", "the LLM returned the schema instead of an object that fits it")
    try:
        value = reply.model_validate(document)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors(include_url=False)]
        raise LLMError("invalid", f"the LLM's reply does not fit the schema: {'; '.join(faults[:8])}") from None
    faults = check(value) if check else []
    if faults:
        raise LLMError("invalid", f"the LLM's reply does not fit the schema: {'; '.join(faults[:8])}")
    return value


def _json_object(text: str) -> dict[str, Any]:
    """The JSON object in a reply, out of a Markdown fence or surrounding prose when it must be."""
    if not text.strip():
        raise LLMError("empty", "the LLM sent an empty reply")
    fenced = re.search(r"```(?:json)?\s*(\{.*\})\s*```", text, re.DOTALL)
    body = fenced.group(1) if fenced else text[text.find("{") : text.rfind("}") + 1]
    try:
        document = json.loads(body, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        raise LLMError("not_json", f"the LLM did not send a JSON object: {' '.join(text.split())[:80]!r}") from None
    if not isinstance(document, dict):
        raise LLMError("not_json", "the LLM did not send a JSON object")
    return document


def _is_passing(error: BaseException) -> bool:
    """Whether waiting may help: rate limits (not an empty account) and server errors."""
    import openai

    if isinstance(error, openai.RateLimitError):
        return getattr(error, "code", None) != "insufficient_quota"
    return isinstance(error, openai.InternalServerError)


def _wait(state: Any) -> float:
    """Seconds before the next try: what the server asks for, else 1, 2, 4 ...; never above MAX_WAIT_S."""
    error = state.outcome.exception()
    asked = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "")
    seconds = float(asked) if re.fullmatch(r"\d+(\.\d+)?", asked) else 2.0 ** (state.attempt_number - 1)
    return min(seconds, MAX_WAIT_S)
