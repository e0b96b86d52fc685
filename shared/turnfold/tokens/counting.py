"""Tokens and bytes of a whole message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from turnfold.content import byte_count, text_fields, utf8_length
from turnfold.jsonio import is_array, is_object
from turnfold.tokens.images import image_tokens
from turnfold.tokens.protocol import TokenizerProtocol

Measure = Callable[[Mapping[str, Any]], tuple[int, int]]


def measuring(tokenizer: TokenizerProtocol) -> Measure:
    """What gives tokens and bytes of a message by this tokenizer, its texts read once."""
    count, overhead = tokenizer.count_tokens, getattr(tokenizer, "tokens_per_message", 0)

    def measure(message: Mapping[str, Any]) -> tuple[int, int]:
        text = message.get("content")
        if type(text) is list:
            fields = text_fields(message)
            return message_tokens(message, tokenizer, fields), byte_count(message, fields)
        if len(message) != (3 if "tool_call_id" in message else 2) or type(text) is not str:
            text = "".join(text_fields(message))
        # else role and content, and the call that a result answers: nearly all messages
        return count(text) + overhead, len(text) if text.isascii() else utf8_length(text)

    return measure


def message_tokens(message: Mapping[str, Any], tokenizer: TokenizerProtocol, fields: list[str] | None = None) -> int:
    """Tokens of the text fields joined, plus images, plus the chat format's overhead where the tokenizer knows it.

    `fields` are the message's text fields where the caller has them already.
    """
    texts = text_fields(message) if fields is None else fields
    tokens = tokenizer.count_tokens(texts[0] if len(texts) == 1 else "".join(texts))
    if is_array(content := message.get("content")):
        tokens += sum(image_tokens(part) for part in content if is_object(part))
    return tokens + getattr(tokenizer, "tokens_per_message", 0)
