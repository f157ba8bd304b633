"""What the environment says: which LLM, and where conversations live. Secrets stay `SecretStr` and are never stored."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from policies.errors import InputError
from tools.text.plain_text import one_line


def _sendable(key: SecretStr) -> SecretStr:
    if not re.fullmatch(r"[!-~]+", key.get_secret_value()):
        raise ValueError("a key has printable ASCII characters only, no space and no line break")
    return key


class Settings(BaseSettings):
    """Read from environment variables only; no file."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, env_ignore_empty=True)

    base_url: str | None = Field(default=None, pattern=r"^https?://[^\s\p{C}]+$", validation_alias="OPENAI_BASE_URL")
    """An OpenAI-compatible server; None: the hosted API."""
    api_key: Annotated[SecretStr, AfterValidator(_sendable)] | None = Field(
        default=None, validation_alias="OPENAI_API_KEY"
    )
    model: str | None = Field(default=None, validation_alias="ADVISOR_MODEL")
    """The LLM that reads questions."""
    llm_timeout_s: float = Field(default=60, gt=0, le=86_400, validation_alias="ADVISOR_LLM_TIMEOUT_S")
    """Time limit of one request, seconds."""
    llm_reply_tokens: int = Field(default=2000, ge=16, validation_alias="ADVISOR_LLM_REPLY_TOKENS")
    """Maximum tokens of one reply."""
    llm_token_limit: int = Field(default=100_000, ge=1, validation_alias="ADVISOR_LLM_TOKEN_LIMIT")
    """Maximum tokens of one command, prompts and replies together."""
    home: Path | None = Field(default=None, validation_alias="ADVISOR_HOME")
    """Where `chat.db` lives; None: the user's state directory."""

    @property
    def has_llm(self) -> bool:
        """A model, and a key or a server, are named."""
        return bool(self.model and (self.api_key or self.base_url))

    @property
    def place(self) -> str:
        """Where the LLM is asked, for messages: without a password or key that the address may hold."""
        if self.base_url is None:
            return "the hosted API"
        address = re.sub(r"[?#].*", "", one_line(self.base_url))
        return re.sub(r"(?<=//)[^/@]*@", "", address)

    @property
    def state_dir(self) -> Path:
        """The folder of `chat.db`."""
        if self.home is not None:
            from training.support.paths import expanded

            return expanded(self.home).absolute()
        import platformdirs

        return Path(platformdirs.user_state_dir("experiment-advisor"))

    @property
    def key_text(self) -> str:
        """The key itself, for the client and for scrubbing it out of messages; empty when there is none."""
        return self.api_key.get_secret_value() if self.api_key else ""


def load_settings() -> Settings:
    """Reads the environment; InputError names the variable that is malformed, never its value."""
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        name = str(fault["loc"][0]) if fault["loc"] else "environment"
        raise InputError(
            f"{name} cannot be used: {fault['msg'].removeprefix('Value error, ')}; fix or unset it"
        ) from None
