"""Tokens of a whole message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.content import text_fields
from turnfold.jsonio import is_array, is_object
from turnfold.tokens.images import image_tokens
from turnfold.tokens.protocol import TokenizerProtocol


def message_tokens(message: Mapping[str, Any], tokenizer: TokenizerProtocol, fields: list[str] | None = None) -> int:
    """Tokens of the text fields joined, plus images, plus the chat format's overhead where the tokenizer knows it.

    `fields` are the message's text fields where the caller has them already.
    """
    texts = text_fields(message) if fields is None else fields
    tokens = tokenizer.count_tokens(texts[0] if len(texts) == 1 else "".join(texts))
    if is_array(content := message.get("content")):
        tokens += sum(image_tokens(part) for part in content if is_object(part))
    return tokens + getattr(tokenizer, "tokens_per_message", 0)
