"""The one place where clients are built and parts are put together."""

from __future__ import annotations

import importlib
from typing import Any

from turnfold.errors import BadInput
from turnfold.settings import Settings
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.openai import OpenAISummarizer
from turnfold.summaries.summarizer import Summarizer


def build_summarizer(name: str, settings: Settings) -> Summarizer:
    """The summarizer of that name: `extractive`, `openai`, or `package.module:factory`.

    Raises:
        BadInput: naming the setting that is missing or wrong.
    """
    if name == "extractive":
        return ExtractiveSummarizer()
    if name == "openai":
        return _openai_summarizer(settings)
    if ":" in name:
        return _from_factory(name)
    raise BadInput("summarizer", f"{name!r} is not known; extractive, openai, or package.module:factory")


def _openai_summarizer(settings: Settings) -> Summarizer:
    if not settings.summary_model:
        raise BadInput("TURNFOLD_SUMMARY_MODEL", "is not set; the summarizer openai needs a model's name")
    from openai import AsyncOpenAI  # only where a model is called

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    client = AsyncOpenAI(
        api_key=key,
        base_url=settings.openai_base_url,
        timeout=settings.summary_timeout_seconds,
        max_retries=0,  # tries are counted by the queue
    )
    return OpenAISummarizer(client, model=settings.summary_model, max_tokens_field=settings.summary_max_tokens_field)


def _from_factory(name: str) -> Summarizer:
    module_name, _, attribute = name.partition(":")
    try:
        factory: Any = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput("summarizer", f"can't load {name}: {error}") from None
    made = factory()
    if not isinstance(made, Summarizer):
        raise BadInput("summarizer", f"{name} made no summarizer but {type(made).__name__}")
    return made
