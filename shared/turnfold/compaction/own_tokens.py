"""A trigger that counts with a tokenizer of its own."""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.index import MessageIndex
from turnfold.tokens import TokenizerProtocol


@dataclass(frozen=True, slots=True)
class OwnTokensExceed:
    """More than `limit` included tokens by `tokenizer`, whatever the index counts with."""

    limit: int
    tokenizer: TokenizerProtocol

    def __call__(self, index: MessageIndex) -> bool:
        return index.tokens_by(self.tokenizer) + index.overhead_tokens > self.limit
