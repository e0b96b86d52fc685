"""Items of a session as chat messages, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from turnfold.adapters.following.history_view import Shown
from turnfold.formats.responses import ResponsesFormat
from turnfold.formats.source import source_of
from turnfold.messages import Message

_FORMAT = ResponsesFormat()
_OPEN = ("_call", "_request", "reasoning")


def messages_of(items: Sequence[Any]) -> list[Message]:
    """The items as chat messages, each with those that it was read from.

    Raises:
        BadInput: naming the field of an item that can't be read.
    """
    return _FORMAT.read(items, "items")


def settled(messages: Sequence[Message]) -> int:
    """How many messages no later item can change.

    A turn's items come in pieces, and calls that follow each other directly are one message: so one that ends with a
    call may be there in part only.
    """
    if not messages:
        return 0
    kind = str(parts_of(messages[-1])[-1].get("type", "message"))
    return len(messages) - kind.endswith(_OPEN)


def items_of(shown: Iterable[Shown], messages: Sequence[Message]) -> list[Any]:
    """What is shown as items: those of the session as they are, others rendered."""
    items: list[Any] = []
    for one in shown:
        items += [{"role": one["role"], "content": one.text}] if isinstance(one, Message) else parts_of(messages[one])
    return items


def parts_of(message: Message) -> Sequence[Mapping[str, Any]]:
    """The items that a message was read from."""
    source = source_of(message, _FORMAT.name)
    if source is None:
        raise ValueError("the message was not read from items")
    return source.parts
