"""What is made of a session beside its summaries: its search index, and the marks that stand for redacted values.

Both live and end with the session, and go when one of its messages is erased: they are made anew from what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from turnfold.sessions.entry import Entry
from turnfold.sessions.session_key import SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIndex:
    """A search index as it is stored.

    Attributes:
        incarnation, erased: of the head when the messages were read.
        format: number of the form that `data` has; one that is not known is not read.
        through: position of the newest message in it.
        tokens: of the log, when it was made.
        data: the index; empty where only the rest was asked for.
    """

    incarnation: str
    erased: int
    format: int
    through: int
    tokens: int
    data: bytes = b""


class MadeStore(Protocol):
    """The part of a session store that keeps what workers make, and finds single messages."""

    async def read_entries(self, key: SessionKey, positions: Sequence[int]) -> dict[int, Entry]:
        """The messages at these positions, those left out that are not there."""
        ...

    async def some_summaries(self, key: SessionKey, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The records of these summaries, by id, those left out that are not there."""
        ...

    async def read_index(self, key: SessionKey, *, with_data: bool = True) -> StoredIndex | None: ...

    async def keep_index(self, key: SessionKey, index: StoredIndex) -> bool:
        """Keeps the index, unless a newer one is there.

        False: the session, or one of its messages, was erased meanwhile; nothing is kept of it.
        """
        ...

    async def marks(self, key: SessionKey) -> dict[str, str]:
        """The values that were redacted, by the marks that stand for them."""
        ...

    async def keep_marks(self, key: SessionKey, incarnation: str, erased: int, marks: Mapping[str, str]) -> bool:
        """Adds marks; False: as `keep_index`.

        Args:
            incarnation, erased: of the head when the messages were read.
        """
        ...
