"""Groups from lines of a log, as they were put together when the lines were written.

Nothing is linked again: which call a result answers can depend on messages that are not read any more.
"""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.content import has_calls
from turnfold.grouping import LEGACY_CALL, awaited_calls, kind_of_role, turn_of
from turnfold.groups import MessageGroup, MessageGroupKind, Reason
from turnfold.index import MessageIndex
from turnfold.sessions.entry import Entry
from turnfold.sessions.head import Head
from turnfold.tokens import TokenizerProtocol


def load(entries: Iterable[Entry], head: Head, tokenizer: TokenizerProtocol) -> MessageIndex:
    """An index of these entries, oldest first; `head` is the one that was read with them."""
    index = MessageIndex(tokenizer=tokenizer)
    groups: dict[int, MessageGroup] = {}
    for entry in entries:
        _take(groups, entry, index)
    newest = head.state["grouper"]["newest"] if head.state else None
    for group in groups.values():
        _settle(group, is_newest=group.id == newest)
    index.put(groups.values())
    return index


def _take(groups: dict[int, MessageGroup], entry: Entry, index: MessageIndex) -> None:
    group = groups.get(entry.place)
    if group is None:
        group = groups[entry.place] = _new_group(entry)
    for place in entry.absorbed:
        if place != entry.place and (old := groups.pop(place, None)) is not None:
            _merge(group, old)
    if has_calls(entry.message):
        group.kind, group.is_tool_call, group.orphan = MessageGroupKind.TOOL_CALL, True, False
        group.await_results(awaited_calls(entry.message))
    elif (answered := _answers(entry)) in group.open_calls:
        group.answer(answered)
    name = getattr(index.tokenizer, "name", None)
    counted = (entry.tokens, entry.bytes) if entry.tokenizer == name else index.measure(entry.message)
    group.add((entry.position, entry.message, *counted))


def _new_group(entry: Entry) -> MessageGroup:
    kind = kind_of_role(str(entry.message.get("role")))
    group = MessageGroup(None, kind, turn_of(kind, entry.turn), entry.place)
    group.orphan = group.is_tool_call  # until a call shows up in it
    return group


def _merge(group: MessageGroup, old: MessageGroup) -> None:
    for position, message in zip(old.positions, old.messages, strict=True):
        group.positions.append(position)
        group.messages.append(message)
    group.message_count += old.message_count
    group.token_count += old.token_count
    group.byte_count += old.byte_count


def _answers(entry: Entry) -> str:
    return str(entry.message.get("tool_call_id")) if entry.message.get("role") == "tool" else LEGACY_CALL


def _settle(group: MessageGroup, *, is_newest: bool) -> None:
    """Hidden, as long as providers would refuse it."""
    if group.orphan:
        group.included, group.reason = False, Reason.ORPHAN
    elif group.open_calls and not is_newest:
        group.included, group.reason = False, Reason.DANGLING
