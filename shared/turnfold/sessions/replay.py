"""The whole log as groups, with all that ever became of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.groups import MessageGroup, MessageGroupKind, Reason
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.sessions.entry import Entry
from turnfold.sessions.head import Head
from turnfold.sessions.load import load
from turnfold.sessions.restore import apply_view
from turnfold.sessions.view import View
from turnfold.tokens import TokenizerProtocol


def replay(
    head: Head,
    view: View,
    entries: Mapping[int, Entry],
    summaries: Mapping[str, Mapping[str, Any]],
    tokenizer: TokenizerProtocol,
) -> MessageIndex:
    """Every group that ever was: those of the log, summaries, summaries of summaries, lines."""
    index = load((entries[position] for position in sorted(entries)), head, tokenizer)
    for record in sorted(summaries.values(), key=lambda record: (record["log_length"], record["created_at_ms"])):
        _fold(index, record)
    apply_view(index, view)
    return index


def summary_of_record(record: Mapping[str, Any]) -> MessageGroup:
    """The group of a stored summary."""
    group = MessageGroup(record["id"], MessageGroupKind.SUMMARY, None, record["place"])
    group.summary_of, group.durable = tuple(record["summary_of"]), True
    group.messages = [Message.marked({"role": "assistant", "content": record["text"]}, record["metadata"])]
    group.message_count, group.token_count, group.byte_count = 1, record["tokens"], record["bytes"]
    return group


def _fold(index: MessageIndex, record: Mapping[str, Any]) -> None:
    sources = [g for i in record["summary_of"] if (g := index.group(i)) is not None]
    made = summary_of_record(record)
    if record["tokenizer"] != getattr(index.tokenizer, "name", ""):
        made.token_count, made.byte_count = index.measure(made.messages[0])
    index.replace(sources, made, "summarization")
    for source in sources:
        if source.reason == Reason.DANGLING:
            source.reason = "summarization"
