"""The ordered groups of a conversation with their counts, kept up to date as messages arrive."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from turnfold.collector import held_collector
from turnfold.counts import Counts
from turnfold.grouping import Grouper
from turnfold.groups import Arrival, MessageGroup, Reason
from turnfold.messages import Message
from turnfold.ruler import Ruler
from turnfold.tokens import CharacterEstimatorTokenizer, Measure, TokenizerProtocol, measuring


class Placement(NamedTuple):
    """Where a message went: into `group`, with the groups that `group` took in for it."""

    group: MessageGroup
    absorbed: Sequence[MessageGroup]


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
        self.measure: Measure = measuring(self.tokenizer)
        self.overhead_tokens = overhead_tokens
        self.grouper = Grouper()
        self.all, self.live, self.included = Counts(), Counts(), Counts()
        self._log: list[MessageGroup] = []
        self._made: list[MessageGroup] = []
        self._merged: list[MessageGroup] | None = None
        self._made_by_id: dict[str, MessageGroup] = {}
        self._log_by_id: dict[str, MessageGroup] | None = None  # made when it is asked for
        self._rulers: list[Ruler] = []
        self.append(messages)

    def append(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Takes new messages in at the end."""
        measure, take = self.measure, self._take
        with held_collector(len(messages) if isinstance(messages, Sequence) else 0):
            for position, message in enumerate(messages, self.grouper.last_position + 1):
                take((position, message, *measure(message)))
            self._count_fresh()

    def extend(self, arrivals: Iterable[Arrival]) -> list[Placement]:
        """Takes messages in whose position, tokens and bytes are known; returns where each went."""
        placements = [Placement(self._take(arrival), self.grouper.absorbed) for arrival in arrivals]
        self._count_fresh()
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
            # Of one place: the newest that a strategy made, then older ones, then what they replace.
            self._merged = sorted([*reversed(self._made), *self._log], key=attrgetter("place"))
        return self._merged

    @property
    def included_groups(self) -> list[MessageGroup]:
        return [group for group in self.groups if group.included]

    @property
    def made_groups(self) -> Sequence[MessageGroup]:
        """Summaries and lines, oldest first."""
        return self._made

    def group(self, group_id: str) -> MessageGroup | None:
        if self._log_by_id is None:
            self._log_by_id = {group.id: group for group in self._log}
        return self._made_by_id.get(group_id) or self._log_by_id.get(group_id)

    def put(self, groups: Iterable[MessageGroup]) -> None:
        """Adds groups whose messages were grouped before."""
        for group in groups:
            self._log.append(group)
            self._count(group)
        self._log.sort(key=attrgetter("place"))
        self._merged = self._log_by_id = None

    def adopt(self, grouper: Grouper, groups: list[MessageGroup]) -> None:
        """Goes on from a stored state: `groups` are those that later messages may still change, counted already."""
        self.grouper, self._log = grouper, groups
        self._merged = self._log_by_id = None

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
            if made.durable:
                self._cover(source)
            self.exclude(source, reason)
            source.summarized_by = made.id
        self.insert(made)

    def _cover(self, source: MessageGroup) -> None:
        """A committed summary replaces a group; where that is a line, what stands behind it too."""
        behind = [] if source.is_log or source.durable else [self.group(group_id) for group_id in source.summary_of]
        for group in (source, *behind):
            if group is not None and group.is_live:
                self.live.remove(group)
                self.grouper.forget(group)
                group.folded = group is not source

    def insert(self, made: MessageGroup) -> None:
        """Adds a group that a strategy made."""
        self._made.append(made)
        self._made_by_id[made.id] = made
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
        del self._made_by_id[line.id]
        self._merged = None
        for source_id in line.summary_of:
            if (source := self.group(source_id)) is not None:
                source.summarized_by, source.reason = None, line.reason or source.reason

    def projection(self) -> list[Message]:
        """The messages of the included groups, in order: what the model gets."""
        with held_collector(self.included.messages):
            return [message for group in self.groups if group.included for message in group.messages]

    @property
    def pending_tool_call_ids(self) -> list[str]:
        """Ids of the calls that the conversation ends with, still waiting for results."""
        waiting = self._log[-1].open_calls if self._log and self._log[-1].included else ()
        return [call for call in waiting if not call.startswith("\0")]

    def _take(self, arrival: Arrival) -> MessageGroup:
        newest = self.grouper.newest
        group = self.grouper.place(arrival)
        if group.positions[-1] != arrival[0]:
            self._join(group, arrival)
            return group
        if self.grouper.absorbed:
            self._absorb(group)
        self._log.append(group)
        if newest is not None and newest.open_calls:
            self._hide_dangling(newest)
        return group

    def _join(self, group: MessageGroup, arrival: Arrival) -> None:
        if self.grouper.absorbed:
            self._absorb(group)
        group.add(arrival)
        if group.counted:
            for counts in self._counts_of(group):
                counts.add_to_group(group, arrival[2], arrival[3])
        newest = self.grouper.newest  # taking reasoning in can make an older group the newest again
        if group.reason is not None and group.reason == Reason.DANGLING and (group is newest or not group.open_calls):
            self._show_again(group)
        if newest is not None and newest.reason is not None and newest.reason == Reason.DANGLING:
            self._show_again(newest)

    def _absorb(self, group: MessageGroup) -> None:
        """Reasoning that stood alone becomes part of the call's group."""
        for old in self.grouper.absorbed:
            self._leave(old)
            at = bisect(group.positions, old.positions[0])
            group.positions[at:at] = old.positions
            group.messages[at:at] = old.messages
            group.message_count += old.message_count
            group.token_count += old.token_count
            group.byte_count += old.byte_count
            if group.counted:
                for counts in self._counts_of(group):
                    _move_in(counts, old)

    def _leave(self, group: MessageGroup) -> None:
        for i in range(len(self._log) - 1, -1, -1):  # what is taken in stands near the end
            if self._log[i] is group:
                del self._log[i]
                break
        if group.counted:
            for counts in self._counts_of(group):
                counts.remove(group)

    def _count_fresh(self) -> None:
        """Counts the new groups, complete so far: they are the end of the log."""
        self._rulers.clear()
        self._merged = self._log_by_id = None
        start = len(self._log)
        while start and not self._log[start - 1].counted:
            start -= 1
        if start or self.all.groups or self._made:
            for group in self._log[start:]:
                self._count(group)
        else:
            self._count_first()

    def _count_first(self) -> None:
        """Counts a whole log: nothing is covered yet, and little is hidden."""
        self.all.add_all(self._log)
        self.live, self.included = self.all.copy(), self.all.copy()
        for group in self._log:
            if not group.included:
                self.included.remove(group)

    def _count(self, group: MessageGroup) -> None:
        group.counted = True
        for counts in self._counts_of(group):
            counts.add(group)

    def _counts_of(self, group: MessageGroup) -> tuple[Counts, ...]:
        sets = (self.all, self.live) if not group.covered_for_good else (self.all,)
        return (*sets, self.included) if group.included else sets

    def _hide_dangling(self, group: MessageGroup) -> None:
        """Providers refuse a call without its results, except at the end."""
        if group.counted:
            self.exclude(group, Reason.DANGLING)
        elif group.included:
            group.included, group.reason = False, Reason.DANGLING

    def _show_again(self, group: MessageGroup) -> None:
        if group.counted:
            self.include(group)
        else:
            group.included, group.reason = True, None


def _move_in(counts: Counts, old: MessageGroup) -> None:
    counts.messages += old.message_count
    counts.non_system_messages += old.message_count
    counts.tokens += old.token_count
    counts.bytes += old.byte_count
