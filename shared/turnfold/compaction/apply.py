"""A strategy on a plain list of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnfold.compaction.strategy import CompactionStrategy
from turnfold.index import MessageIndex
from turnfold.tokens import TokenizerProtocol


async def apply_compaction(
    messages: Sequence[Mapping[str, Any]],
    *,
    strategy: CompactionStrategy | None,
    tokenizer: TokenizerProtocol | None = None,
) -> list[Any]:
    """The messages that the strategy leaves, in order; the list as it was where the strategy is None."""
    if strategy is None:
        return list(messages)
    index = MessageIndex(messages, tokenizer=tokenizer)
    await strategy.compact(index)
    return index.projection()
