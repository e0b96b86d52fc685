"""Where a message of a run came from: what a provider loaded is stamped, what the caller said is not.

Stamps stand in a message's metadata: they are never sent, and no client can forge them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from turnfold.messages import Message, as_message

_ID, _TYPE = "source_id", "source_type"


class SourceType(StrEnum):
    """What kind of provider a message came from."""

    HISTORY = "history"
    CONTEXT = "context"


def stamped(messages: Iterable[Mapping[str, Any]], source_id: str, source_type: SourceType) -> list[Message]:
    """Copies of the messages with their source; one that has a source keeps it."""
    stamp = {_ID: source_id, _TYPE: str(source_type)}
    return [Message.marked(m, {**stamp, **as_message(m).metadata}) for m in messages]


def source_id_of(message: Message) -> str | None:
    """The provider that the message was loaded by; None: the caller or the model said it."""
    return message.metadata.get(_ID)


def is_from_history(message: Message) -> bool:
    """Whether a history provider loaded the message: it is stored already."""
    return message.metadata.get(_TYPE) == SourceType.HISTORY


def is_from_context(message: Message) -> bool:
    """Whether a context provider put the message into the run."""
    return message.metadata.get(_TYPE) == SourceType.CONTEXT


def without_stamp(message: Message) -> Message:
    """A copy as it is stored."""
    kept = {name: value for name, value in message.metadata.items() if name not in (_ID, _TYPE)}
    return Message.marked(message, kept)
