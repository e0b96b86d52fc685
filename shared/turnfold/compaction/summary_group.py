"""A reply as a group of the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.summaries.quality_gate import as_summary
from turnfold.summaries.summarizer import SummaryReply


def summary_group(
    index: MessageIndex, sources: Sequence[MessageGroup], reply: SummaryReply, *, summary_id: str
) -> MessageGroup:
    """The summary of `sources`, at the place of the first one. Its message carries its provenance as metadata."""
    provenance = {
        "summary_of": [group.id for group in sources],
        "model": reply.model,
        "prompt_version": reply.prompt_version,
        "degraded": reply.degraded,
    }
    message = Message.marked({"role": "assistant", "content": as_summary(reply.text)}, provenance)
    tokens, size = index.measure(message)
    made = MessageGroup(summary_id, MessageGroupKind.SUMMARY, None, min(group.place for group in sources))
    made.summary_of, made.messages, made.durable = tuple(group.id for group in sources), [message], True
    made.message_count, made.token_count, made.byte_count = 1, tokens, size
    return made
