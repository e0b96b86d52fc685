"""An index from the lines of a log that a view tells to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from turnfold.counts import Counts
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.sessions.entry import Entry
from turnfold.sessions.head import Head
from turnfold.sessions.load import load
from turnfold.sessions.view import View
from turnfold.tokens import TokenizerProtocol


def restore_included(
    view: View, entries: Mapping[int, Entry], head: Head, tokenizer: TokenizerProtocol
) -> MessageIndex:
    """What the model gets, with what is hidden behind the start of reading: for a turn."""
    index = load(_wanted(entries, {*view.covered, *view.passed}), head, tokenizer)
    index.overhead_tokens = head.overhead_tokens
    for made in view.made:
        if made.durable:
            index.insert(made)
    apply_view(index, view)
    if head.state:
        index.all, index.live = Counts.from_dict(head.state["all"]), Counts.from_dict(head.state["live"])
    return index


def restore_live(view: View, entries: Mapping[int, Entry], head: Head, tokenizer: TokenizerProtocol) -> MessageIndex:
    """All that no summary covers, as if no inline step had hidden anything: for a worker."""
    index = load(_wanted(entries, set(view.covered)), head, tokenizer)
    index.overhead_tokens = head.overhead_tokens
    for made in view.made:
        if made.durable:
            made.included, made.reason = True, None
            index.insert(made)
    if head.state:
        index.all = Counts.from_dict(head.state["all"])
    return index


def restore_foldable(
    view: View, entries: Mapping[int, Entry], head: Head, tokenizer: TokenizerProtocol
) -> MessageIndex:
    """The same without what was unfolded: what a trigger may have folded."""
    held = {position for first, last in view.held.stretches for position in range(first, last + 1)}
    made = tuple(group for group in view.made if group.id not in view.held.summaries)
    left = {position: entry for position, entry in entries.items() if position not in held}
    return restore_live(replace(view, made=made), left, head, tokenizer)


def apply_view(index: MessageIndex, view: View) -> None:
    """Hides again what inline steps hid, behind lines where they left some."""
    for made in view.made:
        if not made.durable:
            _cover(index, made)
            index.insert(made)
        elif not made.included and (known := index.group(made.id)) is not None:
            index.exclude(known, made.reason or "")
    system = dict(view.hidden_system)
    for group in index.groups:
        reason = system.get(group.place) if group.is_system else _reason(view, group)
        if reason is not None:
            index.exclude(group, reason)


def _wanted(entries: Mapping[int, Entry], skipped: set[int]) -> Iterable[Entry]:
    return (entries[position] for position in sorted(entries) if position not in skipped)


def _cover(index: MessageIndex, line: MessageGroup) -> None:
    """A line's source, where it is loaded, is hidden behind the line."""
    for source_id in line.summary_of:
        if (source := index.group(source_id)) is not None:
            index.exclude(source, "tool_result")
            source.summarized_by = line.id


def _reason(view: View, group: MessageGroup) -> str | None:
    if not group.is_log:
        return None
    return next((reason for first, last, reason in view.hidden if first <= group.place <= last), None)
