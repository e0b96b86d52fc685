"""A strategy of the caller's own: any async callable that changes a list of messages in place."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any, Protocol

from turnfold.compaction.run import Action, CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message, as_message


class MessagesStrategy(Protocol):
    """A strategy of the caller's own: changes the list in place; whether anything changed."""

    async def __call__(self, messages: list[Message], /) -> bool: ...


def as_strategy(value: CompactionStrategy | MessagesStrategy) -> CompactionStrategy:
    """The strategy itself, or a callable as one.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, CompactionStrategy):
        return value
    if not callable(value):
        raise TypeError(f"strategy: must be a CompactionStrategy or an async callable, not {value!r}")
    return CustomStrategy(value)


class CustomStrategy(CompactionStrategy):
    """Runs a callable on the messages that are shown, and takes over what it did.

    A group of which a message is gone is hidden whole. New messages stand where the callable put them, for the groups
    that are gone from there.
    """

    name = "custom"

    def __init__(self, function: MessagesStrategy) -> None:
        self._function = function
        self._called = str(getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__))

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        before = index.included.tokens
        messages = index.projection()
        changed = bool(await self._function(messages))
        if changed:
            self._take_over(index, messages)
        run.actions.append(Action(self._called, True, changed, before, index.included.tokens))
        return changed

    def _take_over(self, index: MessageIndex, messages: list[Message]) -> None:
        shown = index.included_groups
        left = {id(message) for message in messages}
        gone = [group for group in shown if any(id(message) not in left for message in group.messages)]
        known = {id(message): group for group in shown for message in group.messages}
        for place, new in _runs_of_new(messages, known, end=index.grouper.last_position + 1):
            covered = [group for group in gone if group.place < place and group.included]
            index.replace(covered, self._made(index, new, covered, place), self._called)
        for group in gone:
            index.exclude(group, self._called)

    def _made(self, index: MessageIndex, new: list[Any], covered: list[MessageGroup], place: int) -> MessageGroup:
        messages = [as_message(message) for message in new]
        at = covered[0].place if covered else place
        made = MessageGroup(f"custom-{secrets.token_hex(8)}", MessageGroupKind.SUMMARY, None, at)
        made.summary_of, made.messages, made.durable = tuple(group.id for group in covered), messages, True
        counted = [index.measure(message) for message in messages]
        made.message_count = len(messages)
        made.token_count, made.byte_count = sum(t for t, _ in counted), sum(size for _, size in counted)
        return made


def _runs_of_new(
    messages: list[Message], known: dict[int, MessageGroup], *, end: int
) -> Iterator[tuple[int, list[Message]]]:
    """New messages that follow each other, with the place of what comes after them."""
    run: list[Message] = []
    for message in messages:
        group = known.get(id(message))
        if group is None:
            run.append(message)
        elif run:
            yield group.place, run
            run = []
    if run:
        yield end, run
