"""Message formats: the engine works on Chat Completions messages, others are read into them and written from them.

What was read comes back as it was: a reader keeps the original beside the message, a writer puts it in its place again
where the message is unchanged. Messages without an original (summaries, lines, what a store gives back) are rendered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from turnfold.errors import BadInput
from turnfold.formats.anthropic import AnthropicFormat
from turnfold.formats.chat import ChatFormat
from turnfold.formats.responses import ResponsesFormat
from turnfold.messages import Message


class Format(Protocol):
    """How a provider's API takes a conversation."""

    @property
    def name(self) -> str: ...

    def read(self, value: Any, path: str = "messages", /) -> list[Message]:
        """The conversation as chat messages.

        Raises:
            BadInput: naming the field that is wrong, and the mend.
        """
        ...

    def write(self, messages: Iterable[Mapping[str, Any]], /) -> dict[str, Any]:
        """What the API takes for these messages: the field `messages`, and those that stand beside it."""
        ...


_FORMATS: dict[str, Format] = {one.name: one for one in (ChatFormat(), ResponsesFormat(), AnthropicFormat())}
FORMATS = tuple(_FORMATS)


def format_named(name: str, path: str = "format") -> Format:
    """
    Raises:
        BadInput: there is no such format.
    """
    if name not in _FORMATS:
        raise BadInput(path, f"{name!r} is not offered; one of {', '.join(FORMATS)}")
    return _FORMATS[name]
