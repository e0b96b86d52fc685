"""What an index promises whatever the history and whatever the policy, as checks; and policies run on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tests.unit.engine.talk import ScriptedSummarizer, compact_again, refused_by_providers
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.counts import Counts
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.policy import Policy
from turnfold.summaries.summarizer import Summarizer

Group = Callable[[MessageGroup], bool]


def run_policy(index: MessageIndex, policy: dict[str, Any]) -> bool:
    return run_strategy(index, Policy.parse(policy).strategy)


def run_strategy(index: MessageIndex, strategy: CompactionStrategy, summarizer: Summarizer | None = None) -> bool:
    run = CompactionRun(summarizer=summarizer or ScriptedSummarizer("They spoke of words."))
    return compact_again(index, strategy, run=run)


def recounted(index: MessageIndex, belongs: Group) -> Counts:
    counts = Counts()
    for group in index.groups:
        if belongs(group):
            counts.add(group)
    return counts


def check(index: MessageIndex, messages: Sequence[dict[str, Any]]) -> None:
    """Every promise that does not depend on the policy."""
    assert refused_by_providers(index.projection()) is None
    check_nothing_is_lost(index, messages)
    check_counts(index)


def check_nothing_is_lost(index: MessageIndex, messages: Sequence[dict[str, Any]]) -> None:
    """Each message stands in one group, as it came; each group is shown, or hidden for a reason, or covered by name."""
    positions = Counter(position for group in index.groups for position in group.positions)
    assert positions == Counter(range(len(messages)))
    for group in index.groups:
        assert not group.is_log or group.messages == [messages[position] for position in group.positions]
        assert (group.reason is None) == group.included
        assert not group.is_log or group.place == group.positions[0]
        assert group.is_system == (group.kind == "system")
        assert group.is_tool_call == (group.kind == "tool_call")
    assert [m for group in index.groups if group.included for m in group.messages] == index.projection()
    by_id = {group.id: group for group in index.groups}
    assert len(by_id) == len(index.groups)
    for group in index.groups:
        assert index.group(group.id) is group
        assert all(by_id[source].summarized_by == group.id for source in group.summary_of)
        assert group.summarized_by is None or (not group.included and group.id in by_id[group.summarized_by].summary_of)


def stands_alone(index: MessageIndex, group: MessageGroup) -> bool:
    """A message of the log or a committed summary that no committed summary covers, not even behind a line."""
    above: MessageGroup | None = group
    while above is not None and above.summarized_by is not None:
        above = index.group(above.summarized_by)
        if above is not None and above.durable:
            return False
    return group.is_log or group.durable


def check_counts(index: MessageIndex) -> None:
    """Each running total is what counting anew gives."""
    assert index.included == recounted(index, lambda group: group.included)
    assert index.all == recounted(index, lambda group: group.is_log)
    assert index.live == recounted(index, lambda group: stands_alone(index, group))
    for group in index.groups:
        assert group.message_count == len(group.messages)
        assert group.token_count == sum(index.measure(message)[0] for message in group.messages)
        assert group.byte_count == sum(index.measure(message)[1] for message in group.messages)
