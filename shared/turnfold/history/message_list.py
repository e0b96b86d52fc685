"""A list that may also be awaited."""

from __future__ import annotations

from collections.abc import Generator

from turnfold.messages import Message


class MessageList(list[Message]):
    """Messages that are there at once: `provider.get_messages(session)`, with or without `await`."""

    def __await__(self) -> Generator[None, None, list[Message]]:
        yield from ()
        return self
