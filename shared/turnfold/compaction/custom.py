"""A strategy of the caller's own: any async callable that changes a list of messages in place."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Protocol

from turnfold.compaction.run import Action, CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.groups import MessageGroup, MessageGroupKind, Reason
from turnfold.index import MessageIndex
from turnfold.messages import Message, as_message


class MessagesStrategy(Protocol):
    """A strategy of the caller's own: changes the list in place; whether anything changed."""

    async def __call__(self, messages: list[Message], /) -> bool: ...


def as_strategy(value: CompactionStrategy | MessagesStrategy, name: str = "strategy") -> CompactionStrategy:
    """The strategy itself, or a callable as one.

    Raises:
        TypeError: it is neither, naming the argument.
    """
    checked_strategy(value, name)
    return value if isinstance(value, CompactionStrategy) else CustomStrategy(value)


def checked_strategy(value: object, name: str) -> None:
    """Refuses what is neither a strategy nor a callable, where it is given and not in the middle of a run.

    Raises:
        TypeError: naming the argument.
    """
    if isinstance(value, type) or not callable(value):
        raise TypeError(f"{name}: must be a CompactionStrategy or an async callable, not {value!r}")


class CustomStrategy(CompactionStrategy):
    """Runs a callable on the messages that are shown, and takes over what it did.

    It works on copies: a message that it changes is one that it took out and put another in for. A group of which a
    message is gone is hidden whole. New messages stand where the callable put them, for the groups that are gone from
    there, together with what is left of those: so a call stays with the shorter result that was put in. What providers
    would refuse of them is left out.
    """

    name = "custom"

    def __init__(self, function: MessagesStrategy) -> None:
        self._function = function
        self._called = str(getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__))

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        before = index.included.tokens
        shown = _Shown(index)
        messages = list(shown.copies)
        changed = bool(await self._function(messages))
        if changed:
            self._take_over(index, shown, messages)
        run.actions.append(Action(self._called, True, changed, before, index.included.tokens))
        return changed

    def _take_over(self, index: MessageIndex, shown: _Shown, messages: list[Message]) -> None:
        gone = shown.gone(messages)
        for place, messages_there in shown.runs_of_new(messages, gone, end=index.grouper.last_position + 1):
            covered = [group for group in gone if group.place < place and group.included]
            if sendable := _sendable(messages_there):
                index.replace(covered, self._made(index, sendable, covered, place), self._called)
        for group in gone:
            index.exclude(group, self._called)
        _hide_calls_that_are_not_last(index)

    def _made(self, index: MessageIndex, new: list[Message], covered: list[MessageGroup], place: int) -> MessageGroup:
        at = covered[0].place if covered else place
        made = MessageGroup(f"custom-{secrets.token_hex(8)}", MessageGroupKind.SUMMARY, None, at)
        made.summary_of, made.messages, made.durable = tuple(group.id for group in covered), new, True
        counted = [index.measure(message) for message in new]
        made.message_count = len(new)
        made.token_count, made.byte_count = sum(t for t, _ in counted), sum(size for _, size in counted)
        return made


class _Shown:
    """The messages that are shown, as copies, each with its original and the group that it belongs to."""

    def __init__(self, index: MessageIndex) -> None:
        pairs = [(group, message) for group in index.included_groups for message in group.messages]
        self.copies = [Message.marked(message, message.metadata) for _, message in pairs]
        self._of = {id(copy): pair for copy, pair in zip(self.copies, pairs, strict=True)}

    def gone(self, left: list[Message]) -> list[MessageGroup]:
        """The groups of which a message was taken out or changed, in order."""
        there = {id(message) for message in left if self._is_as_shown(message)}
        return list(dict.fromkeys(group for copy, (group, _) in self._of.items() if copy not in there))

    def runs_of_new(
        self, left: list[Message], gone: list[MessageGroup], *, end: int
    ) -> Iterator[tuple[int, list[Message]]]:
        """New messages that follow each other, what is left of the groups that are gone among them.

        With each run comes the place of what stands behind it.
        """
        away = set(gone)
        kept = {copy: group for copy, (group, _) in self._of.items() if group not in away}
        run: list[Message] = []
        for message in [*left, None]:
            group = kept.get(id(message))
            if message is not None and group is None:
                run.append(message)
                continue
            if not all(self._is_as_shown(one) for one in run):
                yield group.place if group else end, [as_message(one) for one in run]
            run = []

    def _is_as_shown(self, message: Message) -> bool:
        known = self._of.get(id(message))
        return known is not None and known[1] == message


def _sendable(messages: list[Message]) -> list[Message]:
    """Without results that answer nothing, and calls that nothing answers: those could only be answered in the log."""
    groups = MessageIndex(messages).included_groups
    return [message for group in groups if not group.open_calls for message in group.messages]


def _hide_calls_that_are_not_last(index: MessageIndex) -> None:
    """A call that waits is shown as the last group only; something may have been put behind it."""
    shown = index.included_groups
    for group in shown[:-1]:
        if group.open_calls:
            index.exclude(group, Reason.DANGLING)
