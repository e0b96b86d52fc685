"""What the model's server gets in place of the whole conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.compaction.run import CompactionRun
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import counts_of
from turnfold.sessions.recount import policy_of
from turnfold_api.proxy.session_log import leading_instructions
from turnfold_api.proxy.target import Target


@dataclass(frozen=True, slots=True)
class SentContext:
    """The messages of a call, and how much they are of all that was said."""

    messages: Sequence[Message]
    tokens: int
    all_messages: int
    all_tokens: int

    @property
    def headers(self) -> dict[str, str]:
        is_less = len(self.messages) < self.all_messages or self.tokens < self.all_tokens
        return {
            "X-Turnfold-Compacted": "true" if is_less else "false",
            "X-Turnfold-Messages": f"{len(self.messages)}/{self.all_messages}",
            "X-Turnfold-Tokens": f"{self.tokens}/{self.all_tokens}",
        }


async def context_of(service: TurnfoldService, target: Target, instructions: Sequence[Message]) -> SentContext:
    """The session's context with what is new, compacted by the session's policy as it will be when it is stored.

    The instructions of the call are the call's: they stand for those that the session began with.
    """
    if target.head is None:
        return await compacted(target.to_store, service.policy)
    turn = await service.context(target.session_id)
    before = turn.messages[leading_instructions(turn.messages) :] if instructions else turn.messages
    messages = [*instructions, *before, *target.new]
    if target.head.service_session_id:
        return await _whole(messages, service.policy)
    sent = await compacted(messages, policy_of(target.head, service.policy))
    return _with_hidden(sent, target.head, len(turn.messages), turn.counts["tokens"])


async def compacted(messages: Sequence[Message], policy: Policy) -> SentContext:
    """Messages that are nowhere stored, after the steps of the policy that need no model."""
    index = MessageIndex(messages, tokenizer=policy.tokenizer)
    await policy.strategy.compact(index, CompactionRun(deferred=True))
    return SentContext(index.projection(), index.included.tokens, index.all.messages, index.all.tokens)


async def _whole(messages: Sequence[Message], policy: Policy) -> SentContext:
    index = MessageIndex(messages, tokenizer=policy.tokenizer)
    return SentContext(index.projection(), index.included.tokens, index.all.messages, index.all.tokens)


def _with_hidden(sent: SentContext, head: Head, shown: int, shown_tokens: int) -> SentContext:
    """With what the session's own context left out already."""
    whole = counts_of(head.state)["all"]
    return SentContext(
        sent.messages,
        sent.tokens,
        sent.all_messages + max(0, whole["messages"] - shown),
        sent.all_tokens + max(0, whole["tokens"] - shown_tokens),
    )
