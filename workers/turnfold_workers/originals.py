"""The messages under summaries, as a summarizer reads them."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.messages import Message
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

PAGE = 500


async def messages_at(store: SessionStore, key: SessionKey, positions: Sequence[int]) -> list[Message]:
    """The messages that are there, in the order in which the model got them: each result behind its call."""
    groups: dict[int, list[Message]] = {}
    for start in range(0, len(positions), PAGE):
        entries = await store.read_entries(key, positions[start : start + PAGE])
        for _, entry in sorted(entries.items()):
            group = groups.setdefault(entry.place, [])
            for place in entry.absorbed:
                group += groups.pop(place, []) if place != entry.place else []
            group.append(entry.message)
    return [message for place in sorted(groups) for message in groups[place]]
