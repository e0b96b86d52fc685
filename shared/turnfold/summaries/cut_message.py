"""A message that is more than a call may read: cut in every field that has text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnfold.content import REASONING_FIELDS
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message, content_text
from turnfold.summaries.transcript import head_and_tail

SMALLEST_CUT_CHARS = 100
# What the mark of a cut costs at most.
MARK_CHARS = 48
# What a call costs beside its arguments at most, and so how many of them a share has room for.
CALL_TOKENS = 24


def cut_message(message: Message, cost: int, share: int) -> Message:
    """The message with about `share` of its `cost` in tokens: heads and tails of its texts, its first and last calls.

    The parts of a content become one text; images and files among them are named by the first few.
    """
    if cost <= share:
        return message
    ratio = share / cost
    fields: dict[str, Any] = {name: value for name, value in message.items() if name != "reasoning_details"}
    fields["content"] = _cut_content(message.get("content"), ratio, share)
    for name in (*REASONING_FIELDS, "refusal"):
        if isinstance(text := message.get(name), str):
            fields[name] = cut_text(text, ratio)
    if is_array(calls := message.get("tool_calls")):
        fields["tool_calls"] = [_cut_call(call, ratio) for call in _ends(calls, max(2, share // CALL_TOKENS))]
    if is_object(legacy := message.get("function_call")):
        fields["function_call"] = _cut_arguments(legacy, ratio)
    return Message(fields)


def cut_text(text: str, ratio: float) -> str:
    """Head and tail of the text, together about this share of it."""
    return head_and_tail(text, max(SMALLEST_CUT_CHARS, int(len(text) * ratio) - MARK_CHARS))


def _cut_content(content: Any, ratio: float, share: int) -> Any:
    if isinstance(content, str):
        return cut_text(content, ratio)
    if not is_array(content):
        return content
    media = [part for part in content if is_object(part) and not isinstance(part.get("text"), str)]
    text = cut_text(content_text(content), ratio)
    return [{"type": "text", "text": text}, *_ends(media, max(2, share // CALL_TOKENS))]


def _cut_call(call: Any, ratio: float) -> Any:
    if not is_object(call):
        return call
    bodies = {name: _cut_arguments(body, ratio) for name in ("function", "custom") if is_object(body := call.get(name))}
    return {**call, **bodies}


def _cut_arguments(body: Mapping[str, Any], ratio: float) -> dict[str, Any]:
    texts = {n: cut_text(text, ratio) for n in ("arguments", "input") if isinstance(text := body.get(n), str)}
    return {**body, **texts}


def _ends(items: list[Any], most: int) -> list[Any]:
    """The first and the last items, together at most so many."""
    return items if len(items) <= most else [*items[: most - most // 2], *items[len(items) - most // 2 :]]
