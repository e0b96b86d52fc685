"""What a summary is made of: sentences, rows of results, calls; each with its speaker and its values.

A unit is one line whatever it is made from, so content can't forge a line of the summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from turnfold.content import ToolCall, tool_calls
from turnfold.messages import content_text
from turnfold.summaries.facts import find_facts
from turnfold.summaries.field_units import FieldUnits
from turnfold.summaries.flatten import parsed, rows_of
from turnfold.summaries.one_line import plain_name
from turnfold.summaries.sentences import sentences
from turnfold.summaries.unit import Unit

T = TypeVar("T")

# Of one message as many pieces are read, from both its ends; a longer one is a dump that no summary could cover.
MAX_PIECES = 8000


def units_of(messages: Sequence[Mapping[str, Any]]) -> list[Unit]:
    """The units of all messages in order."""
    units: list[Unit] = []
    tool_names: dict[Any, str] = {}
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
    for sentence in _both_ends(sentences(text)):
        yield Unit(position, speaker, sentence, tuple(find_facts(sentence)))


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    """What a message says: its content, its refusal, what was heard. Reasoning is not said."""
    if text := content_text(message.get("content")):
        yield text
    if isinstance(refusal := message.get("refusal"), str):
        yield refusal
    audio: Any = message.get("audio")
    if isinstance(audio, Mapping) and isinstance(said := cast("Mapping[str, Any]", audio).get("transcript"), str):
        yield said


def _tool_speaker(message: Mapping[str, Any], tool_names: Mapping[Any, str]) -> str:
    name = message.get("name") or tool_names.get(message.get("tool_call_id")) or ""
    return f"tool {plain_name(str(name))}".rstrip()


def _text_units(position: int, speaker: str, text: str) -> Iterator[Unit]:
    value = parsed(text)
    fields = FieldUnits(position, speaker)
    rows = [] if value is None else _both_ends(rows_of(value))
    units = [unit for row in rows for unit in fields.units_of(row)]
    yield from units or spoken_units(position, speaker, text)


def _call_units(position: int, call: ToolCall) -> Iterator[Unit]:
    """A call as lines `name(field=value)`; arguments that are no JSON are quoted as they are."""
    name = plain_name(call.name)
    value = parsed(call.arguments)
    fields = FieldUnits(position, "call", call=name)
    rows = [] if value is None else _both_ends(rows_of(value))
    if units := [unit for row in rows for unit in fields.units_of(row)]:
        yield from units
    elif quoted := list(spoken_units(position, "call", call.arguments)):
        yield from (unit._replace(text=f"{name}({unit.text})", is_call=True) for unit in quoted)
    else:
        yield Unit(position, "call", f"{name}()", (), is_call=True)


def _both_ends(pieces: Iterable[T]) -> list[T]:
    """The pieces, of very many the first and the last."""
    found = list(pieces)
    return found if len(found) <= MAX_PIECES else found[: MAX_PIECES // 2] + found[-MAX_PIECES // 2 :]
