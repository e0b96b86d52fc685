"""Pins: messages, by their positions, and facts, as texts, that no summary may lose. They are kept in the head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turnfold.errors import BadInput
from turnfold.jsonio import is_array
from turnfold.sessions.entry import Entry
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import SessionStore

MAX_PINS = 200
MAX_FACT_CHARS = 2000
PAGE = 1000

Pinned = int | str


def pins_with(pins: Sequence[Pinned], given: Any, *, first: int, count: int) -> list[Pinned]:
    """The session's pins and those that come with an append.

    Args:
        given: true: each of the messages; a list: of them the n-th, counted from 0, or a fact as a text.
        first: position of the first message of the append.
        count: how many messages there are.

    Raises:
        BadInput: naming the entry that is wrong.
    """
    if given is None or given is False:
        return list(pins)
    wanted: list[Any] = list(range(count)) if given is True else given
    if not is_array(wanted):
        raise BadInput("pin", "must be true, or a list of positions among the messages and of facts")
    added = [_checked(one, f"pin[{i}]", first=first, count=count) for i, one in enumerate(wanted)]
    return bounded([*pins, *(pin for pin in dict.fromkeys(added) if pin not in pins)])


def bounded(pins: list[Pinned]) -> list[Pinned]:
    """
    Raises:
        BadInput: there are too many.
    """
    if len(pins) > MAX_PINS:
        raise BadInput("pin", f"a session can have {MAX_PINS} pins at most")
    return pins


async def find_message(store: SessionStore, key: SessionKey, message_id: str) -> Entry | None:
    """The message of that id: at once where the id tells its position, else by a look through the log."""
    told = message_id.rpartition(".")[2]
    if told.isascii() and told.isdigit() and len(told) < 16:
        read = await store.read_log(key, max(0, int(told) - 1), 1)
        found = read.entries.get(int(told)) if read else None
        if found is not None and found.id == message_id:
            return found
    after = 0
    while (read := await store.read_log(key, after, PAGE)) is not None:
        for entry in read.entries.values():
            if entry.id == message_id:
                return entry
        after += PAGE
        if after >= read.head.length:
            break
    return None


def _checked(one: Any, path: str, *, first: int, count: int) -> Pinned:
    if isinstance(one, str):
        if not 1 <= len(one.strip()) <= MAX_FACT_CHARS:
            raise BadInput(path, f"must be a text of 1 to {MAX_FACT_CHARS} characters")
        return one.strip()
    if isinstance(one, bool) or not isinstance(one, int) or not 0 <= one < count:
        raise BadInput(path, f"must be a fact, or a number from 0 to {count - 1}")
    return first + one
