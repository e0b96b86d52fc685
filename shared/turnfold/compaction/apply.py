"""A strategy on a plain list of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnfold.compaction.custom import MessagesStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.index import MessageIndex
from turnfold.messages import as_message
from turnfold.tokens import TokenizerProtocol


async def apply_compaction(
    messages: Sequence[Mapping[str, Any]],
    *,
    strategy: CompactionStrategy | MessagesStrategy | None,
    tokenizer: TokenizerProtocol | None = None,
) -> list[Any]:
    """The messages that the strategy leaves, in order; the list as it was where the strategy is None.

    A custom strategy is any async callable that changes a list of messages in place.
    """
    if strategy is None:
        return list(messages)
    if not isinstance(strategy, CompactionStrategy):
        given = [as_message(message) for message in messages]
        await strategy(given)
        return given
    index = MessageIndex(messages, tokenizer=tokenizer)
    await strategy.compact(index)
    return index.projection()
