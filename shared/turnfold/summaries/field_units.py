"""Rows of fields as units: `flights: number=HAT136, date=2024-05-20`, or as a call `book(number=HAT136)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.facts import MAX_VALUE_CHARS, Mention, field_fact, find_facts, is_number, kind_of, value_key
from turnfold.summaries.flatten import Row
from turnfold.summaries.one_line import one_line
from turnfold.summaries.sentences import sentences
from turnfold.summaries.unit import Unit

MAX_ROW_CHARS = 240  # a longer row becomes several units, so that one can be chosen

_SOME_DIGITS = re.compile(r"\d.?\d.?\d")


@dataclass(frozen=True, slots=True)
class FieldUnits:
    """Makes units of one message's rows. `call` is the tool's name where the rows are arguments."""

    position: int
    speaker: str
    call: str | None = None

    def units_of(self, row: Row) -> Iterator[Unit]:
        """The row as few lines: short fields together, a long text by its sentences."""
        texts: list[str] = []
        mentions = list(_key_mentions(row))
        for raw_name, raw in row.fields:
            name, value = one_line(raw_name)[:MAX_VALUE_CHARS], one_line(raw)
            if len(value) > MAX_VALUE_CHARS:
                yield from self._text_units(name, raw)
            elif value:
                texts.append(f"{name}={value}" if name else value)
                mentions += field_mentions(name, value, row.name)
            if sum(map(len, texts)) > MAX_ROW_CHARS:
                yield self._unit(row, texts, mentions)
                texts, mentions = [], []
        if texts:
            yield self._unit(row, texts, mentions)

    def _text_units(self, name: str, text: str) -> Iterator[Unit]:
        for sentence in sentences(text):
            shown = f"{name}: {sentence}" if name else sentence
            if self.call is not None:
                shown = f"{self.call}({shown})"
            yield Unit(self.position, self.speaker, shown, tuple(find_facts(sentence)), self.call is not None)

    def _unit(self, row: Row, texts: Sequence[str], mentions: Sequence[Mention]) -> Unit:
        path = one_line(" ".join(row.path))[-MAX_VALUE_CHARS:]
        text = f"{path}: {', '.join(texts)}" if path else ", ".join(texts)
        if self.call is not None:
            text = f"{self.call}({text})"
        return Unit(self.position, self.speaker, text, tuple(mentions), self.call is not None)


def field_mentions(name: str, value: str, holder: str) -> Iterator[Mention]:
    """The field's value as a whole, and the exact values within it where it is a phrase.

    Args:
        name: of the field; empty for an item of a list.
        value: one line.
        holder: what the object or list is called that has the field; empty where nothing has a name.
    """
    if value in ("true", "false"):
        return
    yield field_fact(name or holder, value)
    if " " in value or "/" in value:
        yield from (part for part in find_facts(value) if part.text != value)


def _key_mentions(row: Row) -> Iterator[Mention]:
    """Names that are values: ids by which objects are kept, and options to choose, `economy` among `prices`."""
    if _is_id(row.name):
        yield Mention(value_key(row.name), row.name, FactKind.ID, row.path[-2] if len(row.path) > 1 else None)
    options = row.name != "" and len(row.fields) > 1 and all(name and is_number(value) for name, value in row.fields)
    for name, _ in row.fields:
        if _is_id(name) or (options and one_line(name) == name):
            yield Mention(value_key(name), name, kind_of(name), row.name or None)


def _is_id(name: str) -> bool:
    """Whether the name of a field is an id; one or two digits only tell `address2` from `address1`."""
    return len(name) <= MAX_VALUE_CHARS and _SOME_DIGITS.search(name) is not None and kind_of(name) is FactKind.ID
