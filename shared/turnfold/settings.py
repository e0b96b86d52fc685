"""All settings, read once, at the edge, from the environment (prefix `TURNFOLD_`)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from turnfold.errors import BadInput

DEFAULT_PORT = 8400


class Settings(BaseSettings):
    """What an operator can set. Each field is the variable `TURNFOLD_` and its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="TURNFOLD_", extra="ignore", env_ignore_empty=True, allow_inf_nan=False
    )

    redis_url: str | None = Field(default=None, description="The session store: redis://, rediss:// or unix://.")
    broker_url: str | None = Field(
        default=None, description="Celery's broker; default: the store's server, next database."
    )
    api_keys: SecretStr = Field(
        default=SecretStr(""), description="tenant:key[:ro], comma-separated; key may be sha256:HEX."
    )
    policy: str | None = Field(default=None, description="The default policy: a JSON file, or JSON itself.")
    summarizer: str | None = Field(default=None, description="openai, extractive, or package.module:factory.")
    openai_api_key: SecretStr | None = Field(default=None, description="Key of the summarizer model's server.")
    openai_base_url: str | None = Field(default=None, description="Address of any server that speaks Chat Completions.")
    summary_model: str | None = Field(default=None, description="The model that writes summaries.")
    summary_fallback_model: str | None = Field(
        default=None, description="Asked when the replies of the first model are refused."
    )
    summary_structured_output: bool = Field(
        default=False, description="Whether the model answers by a JSON schema; only for models that can."
    )
    summary_max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = Field(
        default="max_completion_tokens", description="The name under which that server knows a reply's limit."
    )
    summary_timeout_seconds: float = Field(default=45.0, gt=0, description="How long one call of the model may take.")
    lease_seconds: float = Field(
        default=10.0, gt=0, description="How long a job is held by a worker that has gone silent."
    )
    session_ttl_seconds: int = Field(default=30 * 24 * 3600, gt=0, description="How long an idle session is kept.")
    sweep_interval_seconds: float = Field(default=60.0, gt=0, description="How often the schedule looks for work.")
    upstream_base_url: str | None = Field(
        default=None, description="The model's server behind /v1/chat/completions, with its /v1."
    )
    upstream_api_key: SecretStr | None = Field(
        default=None, description="Key of that server; without one and without API keys, the client's own is passed on."
    )
    max_body_bytes: int = Field(default=32 * 1024 * 1024, gt=0, description="The largest request body.")
    log_format: Literal["json", "text"] = Field(default="text", description="How logs are written.")

    def __init__(self, **values: Any) -> None:
        """
        Raises:
            BadInput: naming the variable that is wrong.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            raise BadInput(f"TURNFOLD_{str(first['loc'][0]).upper()}", str(first["msg"])) from None

    @property
    def summarizer_name(self) -> str:
        """The summarizer that is set, or that follows from what else is set."""
        if self.summarizer:
            return self.summarizer
        return "openai" if self.openai_api_key or self.openai_base_url else "extractive"
