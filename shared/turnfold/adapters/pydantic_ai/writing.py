"""Chat messages, and parts of messages, as messages of pydantic-ai."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from turnfold.messages import Message


def shown_message(message: ModelMessage, parts: Sequence[int] | None) -> ModelMessage:
    """The message itself, or one with some of its parts only."""
    if parts is None:
        return message
    if isinstance(message, ModelResponse):
        return replace(message, parts=[message.parts[n] for n in parts])
    return replace(message, parts=[message.parts[n] for n in parts])


def made_message(message: Message) -> ModelMessage:
    """What compaction made."""
    if message.role == "user":
        return ModelRequest(parts=[UserPromptPart(message.text)])
    return ModelResponse(parts=[TextPart(message.text)])
