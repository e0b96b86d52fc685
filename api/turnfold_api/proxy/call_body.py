"""The body of a call: what is read of it, and what is passed on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.errors import BadInput
from turnfold.jsonio import is_object
from turnfold.messages import Message, checked_messages
from turnfold_api.body import parse_json
from turnfold_api.proxy.matching import History

OWN_FIELDS = "turnfold_"
HISTORIES: dict[str, History] = {"full": "full", "delta": "delta", "auto": "auto"}


@dataclass(frozen=True, slots=True)
class CallBody:
    """
    Attributes:
        fields: all of the body but the messages, as it is passed on.
        session_id: from `metadata.session_id`.
    """

    fields: Mapping[str, Any]
    messages: Sequence[Message]
    session_id: str | None

    @classmethod
    def parse(cls, raw: bytes) -> CallBody:
        """
        Raises:
            BadInput, UnparsableJson: naming what is wrong.
        """
        value = parse_json(raw)
        if not is_object(value):
            raise BadInput("", "must be an object with messages")
        messages = checked_messages(value.get("messages"))
        if not messages:
            raise BadInput("messages", "must be at least one message")
        fields = {name: given for name, given in value.items() if name != "messages"}
        session_id = _take_session_id(fields)
        return cls(fields, messages, session_id)

    @property
    def streams(self) -> bool:
        return self.fields.get("stream") is True

    def with_messages(self, messages: Sequence[Message]) -> dict[str, Any]:
        """The body that is passed on: our own marks on messages are nothing to the model's server."""
        return {**self.fields, "messages": [_unmarked(message) for message in messages]}


def history_of(header: str | None) -> History:
    """What `X-Turnfold-History` says of the body."""
    if header is None:
        return "auto"
    if header.lower() not in HISTORIES:
        raise BadInput("X-Turnfold-History", "must be full, delta or auto")
    return HISTORIES[header.lower()]


def _take_session_id(fields: dict[str, Any]) -> str | None:
    """The session's id, taken out of the metadata: it is nothing to the model's server."""
    metadata = fields.get("metadata")
    if not is_object(metadata) or "session_id" not in metadata:
        return None
    rest = {name: value for name, value in metadata.items() if name != "session_id"}
    fields["metadata"] = rest
    if not rest:
        del fields["metadata"]
    session_id = metadata["session_id"]
    if not isinstance(session_id, str):
        raise BadInput("metadata.session_id", "must be a string")
    return session_id


def _unmarked(message: Message) -> Mapping[str, Any]:
    if not any(field.startswith(OWN_FIELDS) for field in message):
        return message
    return {field: value for field, value in message.items() if not field.startswith(OWN_FIELDS)}
