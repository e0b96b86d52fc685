"""A session's own limit, kept without tearing calls from their results."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.adapters.following.history_view import Shown
from turnfold.adapters.openai_agents.items import parts_of
from turnfold.index import MessageIndex
from turnfold.messages import Message


def newest_within(limit: int | None, shown: Sequence[Shown], messages: Sequence[Message]) -> list[Shown]:
    """What compaction made, and the newest groups of as many items as the limit allows; one group at least."""
    if limit is None:
        return list(shown)
    ours = [Message.marked(messages[one], {"place": one}) for one in shown if isinstance(one, int)]
    kept: set[int] = set()
    left = limit
    for group in reversed(MessageIndex(ours).included_groups):
        places = [message.metadata["place"] for message in group.messages]
        left -= sum(len(parts_of(messages[place])) for place in places)
        if left < 0 and kept:
            break
        kept.update(places)
    return [one for one in shown if isinstance(one, Message) or one in kept]
