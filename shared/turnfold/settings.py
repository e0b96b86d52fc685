"""All settings, read once, at the edge, from the environment (prefix `TURNFOLD_`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from turnfold.errors import BadInput
from turnfold.setting_values import host_names, model_address, secret_keys, sendable_key, valid_text, what_it_must_be

DEFAULT_PORT = 8400
LONGEST_WAIT_SECONDS = 3600
LONGEST_SWEEP_INTERVAL_SECONDS = 24 * 3600
HIGHEST_PRICE = 1_000_000
MOST_TURNS = 1_000_000
HIGHEST_RATE = 1_000_000_000
LONGEST_TTL_SECONDS = 100 * 365 * 24 * 3600
# What one argument of a command to the store can be.
LARGEST_BODY_BYTES = 512 * 1024 * 1024

ModelAddress = Annotated[str, AfterValidator(model_address)]
ModelKey = Annotated[SecretStr, AfterValidator(sendable_key)]
SecretKeys = Annotated[SecretStr, AfterValidator(secret_keys)]


class Settings(BaseSettings):
    """What an operator can set. Each field is the variable `TURNFOLD_` and its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="TURNFOLD_", extra="ignore", env_ignore_empty=True, allow_inf_nan=False
    )

    redis_url: str | None = Field(
        default=None, description="The session store: redis://, rediss:// or unix://; `turnfold up` brings its own."
    )
    broker_url: str | None = Field(
        default=None, description="Celery's broker; default: the store's server, next database."
    )
    api_keys: SecretStr = Field(
        default=SecretStr(""),
        description="tenant:key[:ro], comma-separated; key may be sha256:HEX. Without any, only loopback is served.",
    )
    policy: str | None = Field(
        default=None, description="A JSON file, or JSON itself; default: what `turnfold policy show` prints."
    )
    summarizer: str | None = Field(
        default=None,
        description="openai, extractive, or package.module:factory; default: openai where its address or key is set.",
    )
    openai_api_key: ModelKey | None = Field(default=None, description="Key of the summarizer model's server.")
    openai_base_url: ModelAddress | None = Field(
        default=None, description="Address of any server that speaks Chat Completions, with its /v1."
    )
    summary_model: str | None = Field(default=None, description="The model that writes summaries.")
    summary_fallback_model: str | None = Field(
        default=None, description="Asked when the replies of the first model are refused."
    )
    allowed_models: str = Field(
        default="",
        description="Models, comma-separated, that a session's policy or a rebuild may name; without any, all.",
    )
    summary_structured_output: bool = Field(
        default=False, description="Whether the model answers by a JSON schema; only for models that can."
    )
    summary_max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = Field(
        default="max_completion_tokens", description="The name under which that server knows a reply's limit."
    )
    summary_timeout_seconds: float = Field(
        default=45.0, gt=0, le=LONGEST_WAIT_SECONDS, description="How long one call of the model may take."
    )
    summary_requests_per_minute: int = Field(
        default=0,
        ge=0,
        le=HIGHEST_RATE,
        description="Calls of one model in any minute, of all workers together; 0: no limit.",
    )
    summary_tokens_per_minute: int = Field(
        default=0,
        ge=0,
        le=HIGHEST_RATE,
        description="Tokens that one model reads and writes in any minute, for all workers together; 0: no limit.",
    )
    summary_concurrency: int = Field(
        default=0,
        ge=0,
        le=HIGHEST_RATE,
        description="Calls of one model at a time, of all workers together; tenants share them; 0: no limit.",
    )
    summary_tenant_concurrency: int = Field(
        default=0, ge=0, le=HIGHEST_RATE, description="How many of these may be one tenant's; 0: no limit."
    )
    lease_seconds: float = Field(
        default=10.0,
        gt=0,
        le=LONGEST_WAIT_SECONDS,
        description="How long a job is held by a worker that has gone silent.",
    )
    stop_seconds: float = Field(
        default=20.0,
        gt=0,
        le=LONGEST_WAIT_SECONDS,
        description="How long a worker that is told to end lets its jobs run on, before it hands them back.",
    )
    session_ttl_seconds: int = Field(
        default=30 * 24 * 3600, gt=0, le=LONGEST_TTL_SECONDS, description="How long an idle session is kept."
    )
    sweep_interval_seconds: float = Field(
        default=60.0,
        gt=0,
        le=LONGEST_SWEEP_INTERVAL_SECONDS,
        description="How often the schedule looks for sessions that are due.",
    )
    upstream_base_url: ModelAddress | None = Field(
        default=None, description="The model's server behind /v1/chat/completions, with its /v1."
    )
    upstream_api_key: ModelKey | None = Field(
        default=None, description="Key of that server; without one and without API keys, the client's own is passed on."
    )
    max_body_bytes: int = Field(
        default=32 * 1024 * 1024, gt=0, le=LARGEST_BODY_BYTES, description="The largest request body."
    )
    allowed_hosts: Annotated[str, AfterValidator(host_names)] = Field(
        default="",
        description="Names, comma-separated, that an API without keys answers to beside localhost and its own --host.",
    )
    summary_input_price: float = Field(
        default=0.0,
        ge=0,
        le=HIGHEST_PRICE,
        description="What a million tokens cost that the summary model reads, in any currency.",
    )
    summary_output_price: float = Field(
        default=0.0, ge=0, le=HIGHEST_PRICE, description="What a million tokens cost that it writes."
    )
    context_input_price: float = Field(
        default=0.0,
        ge=0,
        le=HIGHEST_PRICE,
        description="What a million tokens cost that the model of the conversations reads.",
    )
    context_cached_price: float = Field(
        default=0.0,
        ge=0,
        le=HIGHEST_PRICE,
        description="What they cost where they stand in a prefix that its server has cached; 0: it caches none.",
    )
    worth_within_turns: int = Field(
        default=0,
        ge=0,
        le=MOST_TURNS,
        description="A summary must pay within so many turns, by these prices, or is put off; 0: that is not asked.",
    )
    secret_keys: SecretKeys = Field(
        default=SecretStr(""),
        description="Keys, comma-separated, 16 characters at least: the first signs summaries, all verify.",
    )
    redact: str = Field(
        default="", description="What the summarizer's model must not see: email, phone, card, comma-separated."
    )
    redact_patterns: str | None = Field(
        default=None,
        description='More of that: JSON such as {"order": "DK-[0-9]+"}, regular expressions by name, or a file of it.',
    )
    log_format: Literal["json", "text"] = Field(default="text", description="How logs are written: text or json.")

    def __init__(self, **values: Any) -> None:
        """
        Raises:
            BadInput: naming the variable that is wrong.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0])
            raise BadInput(variable_of(name), what_it_must_be(type(self).model_fields[name], first)) from None

    @field_validator("*", mode="before")
    @classmethod
    def _in_valid_text(cls, value: Any) -> Any:
        return valid_text(value)

    @property
    def summarizer_name(self) -> str:
        """The summarizer that is set, or that follows from what else is set."""
        if self.summarizer:
            return self.summarizer
        return "openai" if self.openai_api_key or self.openai_base_url else "extractive"


def variable_of(name: str) -> str:
    """The environment's variable of a field."""
    return f"TURNFOLD_{name.upper()}"
