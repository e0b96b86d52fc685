"""A message that is more than a call may read: cut in every field that has text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from turnfold.content import REASONING_FIELDS, text_fields
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message, content_text
from turnfold.summaries.media import descriptions
from turnfold.summaries.transcript import MARK_CHARS, head_and_tail

SMALLEST_CUT_CHARS = 100
# What a call costs beside its arguments at most, and so how many of them a share has room for.
CALL_TOKENS = 24
# Texts are cut by characters, and some of them cost more tokens than others.
TRIES = 3
# What tells whose message it is, and what it answers.
_KEPT = ("role", "tool_call_id")


def cut_message(message: Message, share: int, cost: Callable[[Message], int]) -> Message:
    """The message if it costs no more than `share`; else heads and tails of its texts, its first and last calls.

    The parts of a content become one text; images and files among them are named by the first few. Where that is not
    enough, what is left is one text, cut until it is.
    """
    cut, ratio = message, 1.0
    for _ in range(TRIES):
        if (now := cost(cut)) <= share:
            return cut
        ratio *= share / now
        cut = _with_fields_cut(message, ratio, share)
    return cut if cost(cut) <= share else _as_one_text(message, share, cost)


def cut_text(text: str, share: int, cost: Callable[[str], int]) -> str:
    """The text, or its head and tail, so that it costs no more than `share`; the mark alone where nothing fits."""
    limit, cut = len(text), text
    while limit and (now := cost(cut)) > share:
        limit = int(limit * min(0.9, share / now))
        cut = head_and_tail(text, limit)
    return cut


def _as_one_text(message: Message, share: int, cost: Callable[[Message], int]) -> Message:
    kept = {name: message[name] for name in _KEPT if name in message}
    text = "\n".join([*text_fields(message), *descriptions(message)])
    return Message({**kept, "content": cut_text(text, share, lambda cut: cost(Message({**kept, "content": cut})))})


def _with_fields_cut(message: Message, ratio: float, share: int) -> Message:
    fields: dict[str, Any] = {name: value for name, value in message.items() if name != "reasoning_details"}
    fields["content"] = _cut_content(message.get("content"), ratio, share)
    for name in (*REASONING_FIELDS, "refusal"):
        if isinstance(text := message.get(name), str):
            fields[name] = _part_of(text, ratio)
    if is_array(calls := message.get("tool_calls")):
        fields["tool_calls"] = [_cut_call(call, ratio) for call in _ends(calls, max(2, share // CALL_TOKENS))]
    if is_object(legacy := message.get("function_call")):
        fields["function_call"] = _cut_arguments(legacy, ratio)
    return Message(fields)


def _part_of(text: str, ratio: float) -> str:
    """Head and tail of the text, together about this share of it."""
    return head_and_tail(text, max(SMALLEST_CUT_CHARS, int(len(text) * ratio) - MARK_CHARS))


def _cut_content(content: Any, ratio: float, share: int) -> Any:
    if isinstance(content, str):
        return _part_of(content, ratio)
    if not is_array(content):
        return content
    media = [part for part in content if is_object(part) and not isinstance(part.get("text"), str)]
    text = _part_of(content_text(content), ratio)
    return [{"type": "text", "text": text}, *_ends(media, max(2, share // CALL_TOKENS))]


def _cut_call(call: Any, ratio: float) -> Any:
    if not is_object(call):
        return call
    bodies = {name: _cut_arguments(body, ratio) for name in ("function", "custom") if is_object(body := call.get(name))}
    return {**call, **bodies}


def _cut_arguments(body: Mapping[str, Any], ratio: float) -> dict[str, Any]:
    texts = {n: _part_of(text, ratio) for n in ("arguments", "input") if isinstance(text := body.get(n), str)}
    return {**body, **texts}


def _ends(items: list[Any], most: int) -> list[Any]:
    """The first and the last items, together at most so many."""
    return items if len(items) <= most else [*items[: most - most // 2], *items[len(items) - most // 2 :]]
