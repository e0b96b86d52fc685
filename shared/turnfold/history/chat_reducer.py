"""Reducers: what shortens a list of messages, and their way from and to strategies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from turnfold.compaction.custom import as_strategy
from turnfold.compaction.strategy import CompactionStrategy, at_least
from turnfold.history.conversation import Conversation, Strategy
from turnfold.history.newest import newest_within
from turnfold.messages import Message
from turnfold.tokens import TokenizerProtocol


@runtime_checkable
class ChatReducer(Protocol):
    """Shortens a history: takes all of it, returns what is to be sent."""

    async def reduce(self, messages: Sequence[Mapping[str, Any]], /) -> list[Message]: ...


class MessageCountingChatReducer:
    """Keeps the newest messages, at most so many, system messages apart; a call stays with its results.

    The newest group stays whole, also where it alone is more.
    """

    def __init__(self, target_count: int) -> None:
        at_least("target_count", target_count, 1)
        self.target_count = target_count

    async def reduce(self, messages: Sequence[Mapping[str, Any]], /) -> list[Message]:
        return newest_within(messages, max_messages=self.target_count)


class StrategyReducer:
    """A strategy as a reducer."""

    def __init__(self, strategy: Strategy, *, tokenizer: TokenizerProtocol | None = None) -> None:
        self.strategy, self.tokenizer = as_strategy(strategy), tokenizer

    async def reduce(self, messages: Sequence[Mapping[str, Any]], /) -> list[Message]:
        conversation = Conversation(messages, tokenizer=self.tokenizer)
        await conversation.compact(self.strategy)
        return conversation.projection()


class ReducerStrategy:
    """A reducer as a strategy: what it leaves out is hidden, what it adds stands in its place."""

    def __init__(self, reducer: ChatReducer) -> None:
        self.reducer = reducer
        self.name = type(reducer).__name__

    async def __call__(self, messages: list[Message], /) -> bool:
        reduced = await self.reducer.reduce(messages)
        # A reducer may give copies; what is equal and in order is the same message.
        kept = _matched(messages, reduced)
        changed = [id(message) for message in kept] != [id(message) for message in messages]
        messages[:] = kept
        return changed


def as_reducing_strategy(value: ChatReducer | Strategy) -> CompactionStrategy:
    """The strategy behind a reducer or a strategy.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, CompactionStrategy):
        return value
    if isinstance(value, StrategyReducer):
        return value.strategy
    if isinstance(value, ChatReducer):
        return as_strategy(ReducerStrategy(value))
    return as_strategy(value)


def _matched(messages: Sequence[Message], reduced: Sequence[Message]) -> list[Message]:
    """The reduced list with our own objects, newest first: a reducer drops the oldest of two that are equal."""
    result: list[Message] = []
    at = len(messages)
    for wanted in reversed(reduced):
        found = next((n for n in range(at - 1, -1, -1) if messages[n] is wanted or messages[n] == wanted), None)
        if found is None:
            result.append(wanted)
        else:
            at = found
            result.append(messages[found])
    return result[::-1]
