"""What a head keeps of an index, so that an append counts new messages without reading old ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from turnfold.counts import Counts
from turnfold.grouping import Grouper
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.sessions.open_end import OpenEnd, bounded, open_end_of
from turnfold.tokens import TokenizerProtocol


def state_of(index: MessageIndex) -> dict[str, Any]:
    """Counts and open end of an index that has just taken new messages in, as JSON."""
    return _state(index, bounded(index.grouper))


def state_after(index: MessageIndex, stored: Mapping[str, Any]) -> tuple[dict[str, Any], OpenEnd]:
    """The state that was read with the index's messages, after groups were hidden, shown or folded; and its open end.

    How messages are linked is what the stored state says; the index says what became of the groups.
    """
    groups = {group["id"]: MessageGroup.from_dict(group) for group in stored["tail"]}
    grouper = Grouper.resume(stored["grouper"], groups)
    for group in groups.values():
        if (known := index.group(group.id)) is not None:
            group.included, group.reason, group.summarized_by = known.included, known.reason, known.summarized_by
            group.token_count, group.byte_count = known.token_count, known.byte_count
            group.positions, group.message_count = list(known.positions), known.message_count
        if group.covered_for_good:
            grouper.forget(group)
    grouper = bounded(grouper)
    return _state(index, grouper), open_end_of(grouper)


def closed(state: Mapping[str, Any], group_ids: Collection[str]) -> dict[str, Any]:
    """The state with these groups closed for good: nothing that comes later joins them."""
    groups = {group["id"]: MessageGroup.from_dict(group) for group in state["tail"]}
    grouper = Grouper.resume(state["grouper"], groups)
    for group_id in group_ids:
        if (group := groups.get(group_id)) is not None:
            grouper.forget(group)
    return {**state, "grouper": grouper.state(), "tail": [group.to_dict() for group in grouper.tail]}


def resume(state: Mapping[str, Any], tokenizer: TokenizerProtocol) -> MessageIndex:
    """An index that new messages can be appended to: right in all counts, without the groups that can't change."""
    index = MessageIndex(tokenizer=tokenizer)
    if not state:
        index.grouper.last_position = 0  # positions of a log start at 1
        return index
    groups = {group["id"]: MessageGroup.from_dict(group) for group in state["tail"]}
    index.adopt(Grouper.resume(state["grouper"], groups), list(groups.values()))
    index.all, index.live, index.included = (Counts.from_dict(state[name]) for name in ("all", "live", "included"))
    return index


def counts_of(state: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Counts of what the model gets and of the whole log, as the API shows them."""
    if not state:
        return {"included": Counts().public(), "all": Counts().public()}
    return {name: Counts.from_dict(state[name]).public() for name in ("included", "all")}


def live_counts(state: Mapping[str, Any]) -> Counts:
    """Counts of what no summary covers."""
    return Counts.from_dict(state["live"]) if state else Counts()


def _state(index: MessageIndex, grouper: Grouper) -> dict[str, Any]:
    tail = grouper.tail
    turns = {group.turn or 0 for group in tail} | {grouper.turn}
    return {
        "all": index.all.to_dict(turns),
        "live": index.live.to_dict(turns),
        "included": index.included.to_dict(turns),
        "tokenizer": getattr(index.tokenizer, "name", ""),
        "grouper": grouper.state(),
        "tail": [group.to_dict() for group in tail],
    }
