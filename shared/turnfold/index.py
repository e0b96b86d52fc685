"""The ordered groups of a conversation with their counts, kept up to date as messages arrive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from turnfold.content import byte_count, text_fields
from turnfold.counts import Counts
from turnfold.grouping import Grouper, Placement
from turnfold.groups import MessageGroup, Reason
from turnfold.messages import Message, as_message
from turnfold.ruler import Ruler
from turnfold.tokens import CharacterEstimatorTokenizer, TokenizerProtocol, message_tokens


class MessageIndex:
    """Groups in log order, and three running totals: `all`, `live` and `included`.

    `included` is what the model gets. `live` is what no committed summary covers: what a summary planned ahead is
    measured on, as if no step had hidden anything in the meantime. `all` is the whole log.

    Reading a count is O(1), hiding or showing a group is O(1), appending m messages is O(m).
    """

    def __init__(
        self,
        messages: Iterable[Mapping[str, Any]] = (),
        *,
        tokenizer: TokenizerProtocol | None = None,
        overhead_tokens: int = 0,
    ) -> None:
        self.tokenizer: TokenizerProtocol = tokenizer or CharacterEstimatorTokenizer()
        self.overhead_tokens = overhead_tokens
        self.grouper = Grouper()
        self.all, self.live, self.included = Counts(), Counts(), Counts()
        self._log: list[MessageGroup] = []
        self._made: list[MessageGroup] = []
        self._merged: list[MessageGroup] | None = None
        self._by_id: dict[str, MessageGroup] = {}
        self._rulers: list[Ruler] = []
        self.append(messages)

    def append(self, messages: Iterable[Mapping[str, Any]]) -> list[Placement]:
        """Takes new messages in at the end; returns where each went."""
        position = self.grouper.last_position
        entries: list[tuple[int, Message, int, int]] = []
        for message in messages:
            position += 1
            entries.append((position, as_message(message), *self.measure(message)))
        return self.extend(entries)

    def measure(self, message: Mapping[str, Any]) -> tuple[int, int]:
        """Tokens and bytes of a message."""
        fields = text_fields(message)
        return message_tokens(message, self.tokenizer, fields), byte_count(message, fields)

    def extend(self, entries: Iterable[tuple[int, Message, int, int]]) -> list[Placement]:
        """Takes messages in whose position, tokens and bytes are known; returns where each went.

        New groups are counted once, when they are complete so far.
        """
        self._rulers.clear()
        fresh: dict[str, MessageGroup] = {}
        placements = [self._take(entry, fresh) for entry in entries]
        self._merged = None
        self._count_fresh(list(fresh.values()))
        return placements

    def tokens_by(self, tokenizer: TokenizerProtocol) -> int:
        """Included tokens by another tokenizer; O(groups) the first time, O(1) from then on."""
        for ruler in self._rulers:
            if ruler.tokenizer is tokenizer:
                return ruler.total
        ruler = Ruler(tokenizer)
        for group in self.included_groups:
            ruler.show(group)
        self._rulers.append(ruler)
        return ruler.total

    @property
    def groups(self) -> Sequence[MessageGroup]:
        """All groups in log order; one that a strategy made stands before the first that it replaces."""
        if not self._made:
            return self._log
        if self._merged is None:
            newest_first = {group.id: -i for i, group in enumerate(self._made, 1)}
            self._merged = sorted([*self._made, *self._log], key=lambda g: (g.place, newest_first.get(g.id, 1)))
        return self._merged

    @property
    def included_groups(self) -> list[MessageGroup]:
        return [group for group in self.groups if group.included]

    @property
    def made_groups(self) -> Sequence[MessageGroup]:
        """Summaries and lines, oldest first."""
        return self._made

    def group(self, group_id: str) -> MessageGroup | None:
        return self._by_id.get(group_id)

    def put(self, groups: Iterable[MessageGroup]) -> None:
        """Adds groups whose messages were grouped before."""
        for group in groups:
            self._log.append(group)
            self._by_id[group.id] = group
            self._count(group)
        self._log.sort(key=lambda group: group.place)
        self._merged = None

    def adopt(self, grouper: Grouper, groups: list[MessageGroup]) -> None:
        """Goes on from a stored state: `groups` are those that later messages may still change, counted already."""
        self.grouper, self._log, self._merged = grouper, groups, None
        self._by_id = {group.id: group for group in groups}

    def exclude(self, group: MessageGroup, reason: str) -> None:
        """Hides a group; O(1)."""
        if group.included:
            group.included, group.reason = False, reason
            self.included.remove(group)
            for ruler in self._rulers:
                ruler.hide(group)

    def include(self, group: MessageGroup) -> None:
        """Shows a group again; O(1)."""
        if not group.included:
            group.included, group.reason = True, None
            self.included.add(group)
            for ruler in self._rulers:
                ruler.show(group)

    def replace(self, sources: Sequence[MessageGroup], made: MessageGroup, reason: str) -> None:
        """Hides the sources and puts `made` where the first of them stands."""
        for source in sources:
            if made.durable and source.is_live:
                self.live.remove(source)
                self.grouper.forget(source)
            self.exclude(source, reason)
            source.summarized_by = made.id
        self.insert(made)

    def insert(self, made: MessageGroup) -> None:
        """Adds a group that a strategy made."""
        self._made.append(made)
        self._by_id[made.id] = made
        self._merged = None
        if made.is_live:
            self.live.add(made)
        if made.included:
            self.included.add(made)
            for ruler in self._rulers:
                ruler.show(made)

    def drop_line(self, line: MessageGroup) -> None:
        """Takes the line of a collapsed group away; its source stays hidden, for the reason that hid the line."""
        if line.included:
            self.included.remove(line)
            for ruler in self._rulers:
                ruler.hide(line)
        self._made.remove(line)
        del self._by_id[line.id]
        self._merged = None
        for source_id in line.summary_of:
            if (source := self._by_id.get(source_id)) is not None:
                source.summarized_by, source.reason = None, line.reason or source.reason

    def projection(self) -> list[Message]:
        """The messages of the included groups, in order: what the model gets."""
        return [message for group in self.groups if group.included for message in group.messages]

    @property
    def pending_tool_call_ids(self) -> list[str]:
        """Ids of the calls that the conversation ends with, still waiting for results."""
        waiting = self._log[-1].open_calls if self._log and self._log[-1].included else []
        return [call for call in waiting if not call.startswith("\0")]

    def _take(self, entry: tuple[int, Message, int, int], fresh: dict[str, MessageGroup]) -> Placement:
        position, message, tokens, size = entry
        newest = self.grouper.newest
        placement = self.grouper.place(position, message)
        group = placement.group
        if placement.absorbed:
            self._absorb(placement, fresh)
        if placement.is_new:
            group.add(position, message, tokens, size)
            self._enter(group, fresh)
            if newest is not None and newest.open_calls:
                self._hide_dangling(newest, fresh)
            return placement
        group.add(position, message, tokens, size)
        if group.id not in fresh:
            self._count_join(group, tokens, size)
        for settled in (group, self.grouper.newest):  # taking reasoning in can make an older group the newest again
            if settled is None or settled.reason != Reason.DANGLING:
                continue
            if not settled.open_calls or settled is self.grouper.newest:
                self._show_again(settled, fresh)
        return placement

    def _enter(self, group: MessageGroup, fresh: dict[str, MessageGroup]) -> None:
        self._log.append(group)
        self._by_id[group.id] = group
        fresh[group.id] = group

    def _absorb(self, placement: Placement, fresh: dict[str, MessageGroup]) -> None:
        """Reasoning that stood alone becomes part of the call's group."""
        for old in placement.absorbed:
            self._leave(old, fresh)
            group = placement.group
            group.positions += old.positions
            group.messages += old.messages
            group.message_count += old.message_count
            group.token_count += old.token_count
            group.byte_count += old.byte_count
            if group.id not in fresh and not placement.is_new:
                for counts in self._counts_of(group):
                    _move_in(counts, old)

    def _leave(self, group: MessageGroup, fresh: dict[str, MessageGroup]) -> None:
        for i in range(len(self._log) - 1, -1, -1):  # what is taken in stands near the end
            if self._log[i] is group:
                del self._log[i]
                break
        self._merged = None
        if self._by_id.get(group.id) is group:
            del self._by_id[group.id]
        if fresh.pop(group.id, None) is None:
            for counts in self._counts_of(group):
                counts.remove(group)

    def _count_fresh(self, fresh: list[MessageGroup]) -> None:
        if self.all.groups:
            for group in fresh:
                self._count(group)
            return
        for group in fresh:  # the first ones: nothing is covered yet, and little is hidden
            self.all.add(group)
        self.live, self.included = self.all.copy(), self.all.copy()
        for group in fresh:
            if not group.included:
                self.included.remove(group)

    def _count(self, group: MessageGroup) -> None:
        for counts in self._counts_of(group):
            counts.add(group)

    def _counts_of(self, group: MessageGroup) -> tuple[Counts, ...]:
        sets = (self.all, self.live) if not group.covered_for_good else (self.all,)
        return (*sets, self.included) if group.included else sets

    def _count_join(self, group: MessageGroup, tokens: int, size: int) -> None:
        for counts in self._counts_of(group):
            counts.add_to_group(group, tokens, size)

    def _hide_dangling(self, group: MessageGroup, fresh: dict[str, MessageGroup]) -> None:
        """Providers refuse a call without its results, except at the end."""
        if group.id not in fresh:
            self.exclude(group, Reason.DANGLING)
        elif group.included:
            group.included, group.reason = False, Reason.DANGLING

    def _show_again(self, group: MessageGroup, fresh: dict[str, MessageGroup]) -> None:
        if group.id not in fresh:
            self.include(group)
        else:
            group.included, group.reason = True, None


def _move_in(counts: Counts, old: MessageGroup) -> None:
    counts.messages += old.message_count
    counts.non_system_messages += old.message_count
    counts.tokens += old.token_count
    counts.bytes += old.byte_count
