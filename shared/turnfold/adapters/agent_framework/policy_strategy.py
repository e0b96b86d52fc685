"""A policy of turnfold as a compaction strategy of the framework, within a run: no model is called for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import Message

from turnfold.adapters.agent_framework.reading import lines_of
from turnfold.adapters.agent_framework.writing import EXCLUDE_REASON, EXCLUDED, message_of
from turnfold.compaction.run import CompactionRun
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.messages import Message as ChatMessage
from turnfold.policy import Policy

HIDDEN_BEFORE = "hidden_before"
MADE_OF = "_summary_of_message_ids"


def strategy(policy: Policy | Mapping[str, Any] | None = None) -> PolicyStrategy:
    """A strategy for `compaction_strategy=`: the policy's steps that need no model, before each call of a run.

    Args:
        policy: a policy or its JSON; the default if not given. Its summarizations are left to workers.
    """
    if policy is None:
        return PolicyStrategy(Policy.default())
    return PolicyStrategy(policy if isinstance(policy, Policy) else Policy.parse(policy))


class PolicyStrategy:
    """Hides messages by the framework's own marks, in whole groups, so that calls keep their results."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    async def __call__(self, messages: list[Message]) -> bool:
        """Marks what the policy hides, and puts lines in for collapsed calls; whether anything changed."""
        lines = lines_of(messages)
        chat = [ChatMessage.marked(line.message, {"at": line.at}) for line in lines]
        index = MessageIndex(chat, tokenizer=self.policy.tokenizer)
        for group in index.groups:
            if any(messages[at].additional_properties.get(EXCLUDED) for at in _places(group)):
                index.exclude(group, HIDDEN_BEFORE)
        await self.policy.strategy.compact(index, CompactionRun(deferred=True))
        changed = _hide(messages, [group for group in index.groups if group.is_log and not group.included])
        made = [group for group in index.made_groups if group.included]
        for at, message in sorted(((_first(index, one), _made(index, one, messages)) for one in made), reverse=True):
            messages.insert(at, message)
        return changed or bool(made)


def _hide(messages: Sequence[Message], groups: Sequence[MessageGroup]) -> bool:
    changed = False
    for group in groups:
        for at in _places(group):
            marks = messages[at].additional_properties
            if not marks.get(EXCLUDED):
                marks[EXCLUDED], marks[EXCLUDE_REASON] = True, f"turnfold:{group.reason}"
                changed = True
    return changed


def _made(index: MessageIndex, made: MessageGroup, messages: Sequence[Message]) -> Message:
    written = message_of(made.messages[0], message_id=f"turnfold_{made.id}")
    sources = [source for name in made.summary_of if (source := index.group(name)) is not None]
    ids = [messages[at].message_id for source in sources for at in _places(source)]
    written.additional_properties[MADE_OF] = [name for name in ids if name]
    return written


def _first(index: MessageIndex, made: MessageGroup) -> int:
    sources = (index.group(name) for name in made.summary_of)
    return min(at for source in sources if source is not None for at in _places(source))


def _places(group: MessageGroup) -> list[int]:
    return [message.metadata["at"] for message in group.messages]
