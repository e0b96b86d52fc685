"""What one call of a model gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from turnfold.history.agent_response import Usage
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message
from turnfold.usage import prompt_tokens


@dataclass(slots=True, kw_only=True)
class ChatResponse:
    """A reply.

    Attributes:
        messages: of the model; nearly always one.
        conversation_id: where the service keeps the conversation: by what its next call goes on.
        usage: None where nothing was reported.
    """

    messages: list[Message] = field(default_factory=list[Message])
    model: str = ""
    response_id: str | None = None
    conversation_id: str | None = None
    finish_reason: str = "stop"
    usage: Usage | None = None

    @property
    def text(self) -> str:
        return "\n".join(text for message in self.messages if (text := message.text))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a reply, as it comes."""

    text: str


def as_chat_response(answer: Any) -> ChatResponse:
    """Whatever a client returned: a reply of ours, a text, a message, a completion, an object with messages or a text.

    Raises:
        TypeError: nothing of these.
    """
    if isinstance(answer, ChatResponse):
        return answer
    if isinstance(answer, str):
        return ChatResponse(messages=[Message(role="assistant", content=answer)])
    if is_object(answer) and "role" in answer:
        return ChatResponse(messages=[answer if isinstance(answer, Message) else Message(answer)])
    fields = _read(answer, ("choices", "messages", "text", "content", "model", "id", "usage"))
    return ChatResponse(
        messages=_messages(fields, answer),
        model=str(fields["model"] or ""),
        response_id=fields["id"] if isinstance(fields["id"], str) else None,
        finish_reason=_finish_reason(fields["choices"]),
        usage=usage_of(fields["usage"]),
    )


def usage_of(reported: Any) -> Usage | None:
    """What a provider reported, in its words or in those of another; None where it did not."""
    prompt = prompt_tokens(reported)
    if prompt is None:
        return None
    said = _read(reported, ("completion_tokens", "output_tokens"))
    return Usage(prompt_tokens=prompt, completion_tokens=said["completion_tokens"] or said["output_tokens"] or 0)


def reply_message(fields: Mapping[str, Any]) -> Message:
    """A message of a provider's answer, as it goes back to it: empty fields are left out."""
    kept = {name: value for name, value in fields.items() if value is not None and value != []}
    return Message({"role": "assistant", "content": None, **kept})


def _messages(fields: Mapping[str, Any], answer: Any) -> list[Message]:
    if is_array(fields["choices"]):
        return [reply_message(_plain(_read(choice, ("message",))["message"])) for choice in fields["choices"][:1]]
    if is_array(fields["messages"]):
        return [_message(message) for message in _each(fields["messages"])]
    text = fields["text"] if isinstance(fields["text"], str) else fields["content"]
    if isinstance(text, str):
        return [Message(role="assistant", content=text)]
    raise TypeError(f"get_response: must return a reply, a message or a text, not {type(answer).__name__}")


def _finish_reason(choices: Any) -> str:
    first: Any = choices[0] if is_array(choices) and choices else None
    return str(_read(first, ("finish_reason",))["finish_reason"] or "stop")


def _message(value: Any) -> Message:
    if is_object(value):
        return value if isinstance(value, Message) else Message(value)
    fields = _read(value, ("role", "text", "content"))
    text = fields["text"] if isinstance(fields["text"], str) else str(fields["content"] or "")
    return Message(role=str(fields["role"] or "assistant"), content=text)


def _plain(message: Any) -> Mapping[str, Any]:
    if is_object(message):
        return message
    dumped: Mapping[str, Any] = message.model_dump(exclude_none=True)
    return dumped


def _read(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """Fields of a mapping or an object; None for those that it has not."""
    if is_object(value):
        return {name: value.get(name) for name in names}
    return {name: getattr(value, name, None) for name in names}


def _each(values: list[Any]) -> Iterable[Any]:
    return values
