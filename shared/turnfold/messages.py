"""A chat message: the JSON object of the Chat Completions format, as it came, plus metadata of ours beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.errors import BadInput
from turnfold.jsonio import is_array, is_object

ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class Message(dict[str, Any]):
    """One Chat Completions message. It *is* the JSON object, so it can be handed to any client.

    `metadata` is ours and never serialized with the message: a summary is recognised by it, since a mark inside the
    message would be refused by providers and could be forged by clients.
    """

    # No constructor of ours, and metadata only where it is asked for: a conversation has thousands of messages.
    __slots__ = ("_metadata",)

    @classmethod
    def marked(cls, fields: Mapping[str, Any], metadata: Mapping[str, Any]) -> Message:
        """A message with metadata."""
        message = cls(fields)
        message._metadata = dict(metadata)
        return message

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Message:
        """The inverse of `to_dict`."""
        return cls(fields)

    def to_dict(self) -> dict[str, Any]:
        """The message as a plain mapping, as a database stores it; metadata stays behind."""
        return dict(self)

    @property
    def metadata(self) -> dict[str, Any]:
        try:
            return self._metadata
        except AttributeError:
            self._metadata: dict[str, Any] = {}
            return self._metadata

    @property
    def is_summary(self) -> bool:
        """Whether its metadata says which groups it stands for."""
        return "summary_of" in (getattr(self, "_metadata", None) or ())

    @property
    def role(self) -> str:
        return str(self["role"])

    @property
    def text(self) -> str:
        """What the message says: its content's text, parts joined by a line break; empty when it has none."""
        content = self.get("content")
        return content if type(content) is str else content_text(content)


def content_text(content: Any) -> str:
    """The text of a `content` field: a string, or parts of which the textual ones count."""
    if isinstance(content, str):
        return content
    if not is_array(content):
        return ""
    return "\n".join(text for part in content if (text := part_text(part)) is not None)


def part_text(part: Any) -> str | None:
    """The text of one content part, None for an image, a sound, a file."""
    if isinstance(part, str):
        return part
    if not is_object(part):
        return None
    for field in ("text", "refusal", "thinking", "transcript"):
        if isinstance(value := part.get(field), str):
            return value
    return None


def as_message(message: Mapping[str, Any]) -> Message:
    """The message itself, or a plain mapping as a `Message`."""
    return message if isinstance(message, Message) else Message(message)


def checked_messages(messages: Any, path: str = "messages") -> list[Message]:
    """The messages, each validated.

    Raises:
        BadInput: naming the path of the first field that is wrong, and the mend.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise BadInput(path, "must be an array of messages")
    return [checked_message(message, f"{path}[{i}]") for i, message in enumerate(_each(messages))]


def _each(messages: Any) -> Iterable[Any]:
    return messages  # type: ignore[no-any-return]  # an iterable; of what, is checked one by one


def checked_message(message: Any, path: str) -> Message:
    """One message, validated; see `checked_messages`."""
    if not is_object(message):
        raise BadInput(path, "must be an object with a role")
    role = message.get("role")
    if role not in ROLES:
        said = "is missing" if "role" not in message else f"{role!r} is not known"
        raise BadInput(f"{path}.role", f"{said}; one of {', '.join(ROLES)}")
    _check_content(message.get("content"), f"{path}.content")
    if role == "tool":
        _check_id(message, "tool_call_id", path)
    _check_calls(message.get("tool_calls"), f"{path}.tool_calls")
    return as_message(message)


def _check_content(content: Any, path: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not is_array(content):
        raise BadInput(path, "must be a string, an array of parts, or null")
    for i, part in enumerate(content):
        if not isinstance(part, str) and not is_object(part):
            raise BadInput(f"{path}[{i}]", "must be an object with a type")
        if is_object(part) and not isinstance(kind := part.get("type", ""), str):
            raise BadInput(f"{path}[{i}].type", f"must be a string such as text, not {kind!r}")


def _check_calls(calls: Any, path: str) -> None:
    if calls is None:
        return
    if not is_array(calls):
        raise BadInput(path, "must be an array of calls")
    for i, call in enumerate(calls):
        if not is_object(call):
            raise BadInput(f"{path}[{i}]", "must be an object with an id")
        _check_id(call, "id", f"{path}[{i}]")


def _check_id(holder: Mapping[str, Any], field: str, path: str) -> None:
    value = holder.get(field)
    if not isinstance(value, str) or not value:
        raise BadInput(f"{path}.{field}", "is missing; a call and its result are joined by it")
