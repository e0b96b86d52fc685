"""What a summary is made of: sentences, rows of results, calls; each with its speaker and its values.

A unit is one line whatever it is made from, so content can't forge a line of the summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.content import ToolCall, tool_calls
from turnfold.messages import content_text
from turnfold.summaries.facts import MAX_VALUE_CHARS, Mention, field_fact, find_facts
from turnfold.summaries.flatten import Row, parsed, rows_of
from turnfold.summaries.one_line import one_line

MAX_UNIT_CHARS = 400
ROW_CHARS = 240
EARLIER = "earlier"  # the speaker of what an earlier summary says in prose

_SENTENCE_END = re.compile(r"(?<=[^\d\s.][.!?])\s+(?=[A-Z\"'“(\[\d])|(?<=[。！？；])")
_BULLET = re.compile(r"^\s*(?:[-*•>#|]+|\d{1,3}[.)])\s+")
_BOLD = re.compile(r"\*\*(\S[^*\n]{0,200})\*\*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A line that the summary may quote.

    Attributes:
        position: of the message in the source, counted from 0; earlier summaries stand before.
        speaker: `user`, `assistant`, `call`, `tool NAME`.
        text: one line.
        mentions: its values.
        is_call: arguments that the assistant gave to a tool.
        is_carried: a line of an earlier summary.
    """

    position: int
    speaker: str
    text: str
    mentions: tuple[Mention, ...]
    is_call: bool = False
    is_carried: bool = False


def units_of(messages: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """The units of all messages in order."""
    units: list[Unit] = []
    tool_names: dict[str | None, str] = {}
    for position, message in enumerate(messages):
        role = str(message.get("role") or "")
        speaker = _tool_speaker(message, tool_names) if role in ("tool", "function") else role
        for text in _said(message):
            units += _text_units(position, speaker, text)
        for call in tool_calls(message):
            tool_names[call.id] = call.name
            units += _call_units(position, call)
    return units


def spoken_units(position: int, speaker: str, text: str) -> Iterator[Unit]:
    """The sentences of a text, line by line."""
    for line in text.splitlines():
        for sentence in _SENTENCE_END.split(_BOLD.sub(r"\1", _BULLET.sub("", line))):
            for piece in _pieces(one_line(sentence)):
                yield Unit(position, speaker, piece, tuple(find_facts(piece)))


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    """What a message says: its content, its refusal, what was heard. Reasoning is not said."""
    if text := content_text(message.get("content")):
        yield text
    if isinstance(refusal := message.get("refusal"), str):
        yield refusal
    if isinstance(audio := message.get("audio"), Mapping) and isinstance(said := audio.get("transcript"), str):
        yield said


def _tool_speaker(message: Mapping[str, Any], tool_names: Mapping[str | None, str]) -> str:
    name = message.get("name") or tool_names.get(message.get("tool_call_id")) or ""
    return f"tool {_plain_name(str(name))}".rstrip()


def _text_units(position: int, speaker: str, text: str) -> Iterator[Unit]:
    value = parsed(text)
    if value is None:
        yield from spoken_units(position, speaker, text)
        return
    for row in rows_of(value):
        yield from _row_units(position, speaker, row)


def _row_units(position: int, speaker: str, row: Row, *, call: str | None = None) -> Iterator[Unit]:
    """A row as few lines: short fields together, a long text by its sentences."""
    texts: list[str] = []
    mentions: list[Mention] = []
    length = 0
    for name, raw in row.fields:
        name, value = one_line(name)[:MAX_VALUE_CHARS], one_line(raw)
        if not value:
            continue
        if len(value) > MAX_VALUE_CHARS:
            for unit in spoken_units(position, speaker, raw):
                yield Unit(position, speaker, f"{name}: {unit.text}" if name else unit.text, unit.mentions, call is not None)
            continue
        if length > ROW_CHARS:
            yield _row_unit(position, speaker, row, texts, mentions, call)
            texts, mentions, length = [], [], 0
        texts.append(f"{name}={value}" if name else value)
        mentions += _field_mentions(name or row.name, value)
        length += len(texts[-1]) + 2
    if texts:
        yield _row_unit(position, speaker, row, texts, mentions, call)


def _row_unit(
    position: int, speaker: str, row: Row, texts: list[str], mentions: list[Mention], call: str | None
) -> Unit:
    fields = ", ".join(texts)
    path = one_line(row.path)[-MAX_VALUE_CHARS:]
    if call is not None:
        text = f"{call}({path + ': ' if path else ''}{fields})"
    else:
        text = f"{path}: {fields}" if path else fields
    return Unit(position, speaker, text, tuple(mentions), call is not None)


def _field_mentions(name: str, value: str) -> Iterator[Mention]:
    """The field's value as a whole, and the exact values within it where it is a phrase."""
    if value in ("true", "false"):
        return
    yield field_fact(name, value)
    if " " in value or "/" in value:
        yield from (fact for fact in find_facts(value) if fact.text != value)


def _call_units(position: int, call: ToolCall) -> Iterator[Unit]:
    name = _plain_name(call.name)
    value = parsed(call.arguments)
    if value is None:
        for unit in spoken_units(position, "call", call.arguments):
            yield Unit(position, "call", f"{name}({unit.text})", unit.mentions, True)
        if not call.arguments.strip():
            yield Unit(position, "call", f"{name}()", (), True)
        return
    rows = list(rows_of(value))
    for row in rows:
        yield from _row_units(position, "call", row, call=name)
    if not rows:
        yield Unit(position, "call", f"{name}()", (), True)


def _plain_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)[:64]


def _pieces(line: str) -> Iterable[str]:
    """A line in pieces of bounded length, cut at a space where there is one."""
    start = 0
    while len(line) - start > MAX_UNIT_CHARS:
        cut = line.rfind(" ", start + MAX_UNIT_CHARS // 2, start + MAX_UNIT_CHARS)
        cut = cut if cut > 0 else start + MAX_UNIT_CHARS
        yield line[start:cut].strip()
        start = cut
    if rest := line[start:].strip():
        yield rest
