"""The pins that a summary of these sources must hold, and summaries that lack one set since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from turnfold.content import text_fields
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Read, SessionStore
from turnfold.summaries.pin import Pin


async def pins_for(
    store: SessionStore, key: SessionKey, read: Read, sources: Sequence[MessageGroup]
) -> tuple[Pin, ...]:
    """Facts, and pinned messages among the sources or under an earlier summary among them, in order."""
    facts = [Pin(pin) for pin in read.head.pins if isinstance(pin, str)]
    positions = sorted(pin for pin in read.head.pins if isinstance(pin, int))
    if not positions:
        return tuple(facts)
    covered = {position for group in sources for position in group.positions}
    folded = [group.id for group in sources if group.durable]
    if folded and not covered.issuperset(positions):
        covered |= _originals(await store.summaries(key), folded)
    said = [await _pin(store, key, read, position) for position in positions if position in covered]
    return (*facts, *(pin for pin in said if pin is not None))


async def summary_without_a_pin(
    store: SessionStore, key: SessionKey, read: Read, index: MessageIndex
) -> MessageGroup | None:
    """A summary that shows and covers a message that was pinned after it was made."""
    if not read.head.pins:
        return None
    for group in (group for group in index.groups if group.durable and group.is_live):
        pins = await pins_for(store, key, read, [group])
        if any(pin.text not in group.messages[0].text for pin in pins):
            return group
    return None


def _originals(records: Mapping[str, Mapping[str, Any]], summaries: Iterable[str]) -> set[int]:
    """Positions of all messages under these summaries, down the chain."""
    positions: set[int] = set()
    waiting = list(summaries)
    while waiting:
        record = records.get(waiting.pop())
        if record is not None:
            positions.update(record["positions"])
            waiting += [source for source in record["summary_of"] if source in records]
    return positions


async def _pin(store: SessionStore, key: SessionKey, read: Read, position: int) -> Pin | None:
    """The pinned message's text; None where it has none, or was erased."""
    entry = read.entries.get(position)
    if entry is None and (found := await store.read_log(key, position - 1, 1)) is not None:
        entry = found.entries.get(position)
    text = "\n".join(text_fields(entry.message)).strip() if entry else ""
    return Pin(text, str(entry.message.get("role"))) if entry and text else None
