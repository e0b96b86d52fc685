"""What a tokenizer is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class TokenizerProtocol(Protocol):
    """Anything that counts the tokens of a text.

    A tokenizer may also have an attribute `tokens_per_message` (int): what the chat format adds for each message.
    """

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`."""
        ...
