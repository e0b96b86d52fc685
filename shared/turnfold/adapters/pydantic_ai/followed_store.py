"""A conversation store that a session follows."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.conversation_store import ConversationEntry, ConversationRecord, ConversationStore

from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.pydantic_ai.reading import lines_of
from turnfold.service import TurnfoldService


class FollowedConversationStore(ConversationStore):
    """Your store; what is saved in it has its summaries planned at once, what is deleted takes them along.

    Conversations are whole in it: summaries are given to the model alone, by `CompactingHistory`.

    Args:
        inner: where conversations are kept.
        turnfold: the sessions that follow them, by `conversation_id`.
    """

    def __init__(self, inner: ConversationStore, *, turnfold: TurnfoldService, deadline_seconds: float = 2.0) -> None:
        self.inner = inner
        self._view = HistoryView(turnfold, deadline_seconds=deadline_seconds)

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        return await self.inner.read_record(conversation_id)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        return await self.inner.read_records(scope=scope, limit=limit)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return await self.inner.read_entry(entry_id)

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        return await self.inner.read_history(head_id, limit=limit)

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Saves the record, and brings its session up to it.

        Raises:
            ConversationConflict: as the store within.
        """
        await self.inner.write_record(record, new_entries=new_entries, expected_revision=expected_revision)
        entries = await self.inner.read_history(record.head_id)
        lines = lines_of([entry.message for entry in entries])
        await self._view.follow(record.conversation_id, [line.message for line in lines])

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Deletes the record, and erases what turnfold has of it.

        Raises:
            ConversationConflict: as the store within.
        """
        await self.inner.delete_record(conversation_id, expected_revision=expected_revision)
        await self._view.forget(conversation_id)
