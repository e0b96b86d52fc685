"""From a conversation's groups to a view's records, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.groups import LINE_PREFIX, MessageGroup, MessageGroupKind, Reason
from turnfold.history.compaction_view import CompactionView, MadeRecord, Names
from turnfold.messages import Message

if TYPE_CHECKING:
    from turnfold.history.conversation import Conversation

_NOT_A_STRATEGY = (Reason.DANGLING, Reason.ORPHAN)


def made_records(conversation: Conversation) -> list[MadeRecord]:
    """Records of all groups that strategies made, oldest first; of those whose sources a later run can find."""
    records: list[MadeRecord] = []
    for made in conversation.index.made_groups:
        if conversation.is_given(made):
            continue
        sources = [group for source in made.summary_of if (group := conversation.index.group(source)) is not None]
        names = tuple(found for group in sources if (found := conversation.names_of(group)))
        if names:
            reason = next((group.reason for group in sources if group.reason), "summarization")
            records.append(_record(made, names, reason))
    return records


def hidden_groups(conversation: Conversation) -> tuple[tuple[Names, str], ...]:
    """Groups that a strategy hid without putting anything in their place."""
    return tuple(
        (names, group.reason)
        for group in conversation.index.groups
        if conversation.is_given(group) and _is_hidden(group) and group.reason is not None
        if (names := conversation.names_of(group))
    )


def restored(conversation: Conversation, view: CompactionView) -> tuple[MadeRecord, ...]:
    """Applies a view to a conversation of messages alone; the records that could not be applied."""
    index = conversation.index
    if not view.made and not view.hidden:
        return ()
    known = {name: group for group in index.groups for name in conversation.names_of(group)}
    unresolved: list[MadeRecord] = []
    for record in view.made:
        sources = [next((known[name] for name in names if name in known), None) for names in record.sources]
        found = [group for group in sources if group is not None]
        if len(found) < len(record.sources):
            unresolved.append(record)
            continue
        made = _group(conversation, record, found)
        index.replace(found, made, record.reason)
        known[f"made:{record.id}"] = made
        if record.hidden is not None:
            index.exclude(made, record.hidden)
    for names, reason in view.hidden:
        group = next((known[name] for name in names if name in known), None)
        if group is not None:
            index.exclude(group, reason)
    return tuple(unresolved)


def _record(made: MessageGroup, sources: tuple[Names, ...], reason: str) -> MadeRecord:
    return MadeRecord(
        id=made.id,
        sources=sources,
        messages=tuple(made.messages),
        turn=made.turn,
        reason=reason,
        durable=made.durable,
        hidden=made.reason if _is_hidden(made) else None,
    )


def _is_hidden(group: MessageGroup) -> bool:
    return not group.included and group.summarized_by is None and group.reason not in _NOT_A_STRATEGY


def _group(conversation: Conversation, record: MadeRecord, sources: list[MessageGroup]) -> MessageGroup:
    ids = [group.id for group in sources]
    made_id = record.id if record.durable else LINE_PREFIX + ids[0]
    made = MessageGroup(made_id, MessageGroupKind.SUMMARY, record.turn, min(group.place for group in sources))
    made.summary_of, made.durable = tuple(ids), record.durable
    made.messages = [Message.marked(m, {**m.metadata, "summary_of": ids}) for m in record.messages]
    made.message_count = len(made.messages)
    counted = [conversation.index.measure(message) for message in made.messages]
    made.token_count, made.byte_count = sum(t for t, _ in counted), sum(size for _, size in counted)
    return made
