"""The newest part of a history, cut between groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.history.conversation import Conversation
from turnfold.messages import Message
from turnfold.tokens import TokenizerProtocol


def newest_within(
    messages: Iterable[Mapping[str, Any]],
    *,
    max_tokens: int | None = None,
    max_messages: int | None = None,
    tokenizer: TokenizerProtocol | None = None,
) -> list[Message]:
    """The newest groups that fit; the newest one in any case, and all system messages, which `max_messages` ignores."""
    index = Conversation(messages, tokenizer=tokenizer).index

    def is_over() -> bool:
        counts = index.included
        return (max_tokens is not None and counts.tokens > max_tokens) or (
            max_messages is not None and counts.non_system_messages > max_messages
        )

    for group in [group for group in index.included_groups if not group.is_system][:-1]:
        if not is_over():
            break
        index.exclude(group, "bound")
    return index.projection()
