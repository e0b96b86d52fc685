"""A summarizer from whatever a caller has: a summarizer, an OpenAI client, a chat client."""

from __future__ import annotations

import os
from typing import Any

from turnfold.summaries.chat_client import ChatClientSummarizer, SupportsChatGetResponse
from turnfold.summaries.openai import OpenAISummarizer
from turnfold.summaries.summarizer import Summarizer


def as_summarizer(client: Any) -> Summarizer:
    """
    Raises:
        TypeError: naming what `client` may be.
    """
    if isinstance(client, Summarizer):
        return client
    if isinstance(client, SupportsChatGetResponse):
        return ChatClientSummarizer(client)
    if hasattr(getattr(client, "chat", None), "completions"):
        return OpenAISummarizer(client, model=os.environ.get("OPENAI_MODEL", ""))
    raise TypeError(f"client: give a summarizer, an openai.AsyncOpenAI, or an object with get_response, not {client!r}")
