"""The conversation as a summarizer reads it: numbered entries that content can't forge.

An entry is one message. It begins at the start of a line; every further line of it begins with a bar, so no line break
inside a message can look like the next entry.

    [1] (2031-03-14) user: Where is my crate?
      | It left on Monday.
    [2] assistant calls track({"crate": "DK-99812"})
    [3] result of track: {"port": "Esbjerg"}
    [4] (2031-03-15) user (Ana): (image: crate.jpg)

A date stands before the first message of a day, where messages have times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from turnfold.content import text_fields, tool_calls
from turnfold.messages import Message, content_text
from turnfold.summaries.media import descriptions
from turnfold.summaries.one_line import printable, unmarked
from turnfold.summaries.times import day_of

CONTINUATION = "\n  | "
OPENING, CLOSING = "<transcript>", "</transcript>"
# A model reads these as the delimiters, too.
_DELIMITER = re.compile(r"<(\s*/?\s*transcript\b)", re.IGNORECASE)
MAX_NAME_CHARS = 64
LEAST_RESULT_CHARS = 200
# What the mark of a cut costs at most.
MARK_CHARS = 48


def transcript(entries: Iterable[str]) -> str:
    """The entries numbered, between the transcript's delimiters."""
    lines = [numbered(number, entry) for number, entry in enumerate(entries, 1)]
    return "\n".join([OPENING, *lines, CLOSING])


def numbered(number: int, entry: str) -> str:
    """An entry as it stands in a transcript."""
    return f"[{number}] {entry}"


def as_counted(entry: str) -> str:
    """An entry with all that it costs in a transcript: a number of four digits and the line's end."""
    return numbered(1000, entry) + "\n"


def entries(messages: Sequence[Message], max_result_chars: int | None = None) -> list[str]:
    """An entry a message, not yet numbered.

    Results are cut to their head and tail: those of one message's calls show at most `max_result_chars` together.
    """
    names: dict[str, str] = {}
    limits: dict[str, int | None] = {}
    shown: list[str] = []
    day = ""
    for message in messages:
        calls = tool_calls(message)
        share = result_chars(max_result_chars, len(calls))
        for call in calls:
            if call.id:
                names[call.id], limits[call.id] = call.name, share
        before, day = day, day_of(message) or day
        entry = _entry(message, names, limits.get(str(message.get("tool_call_id")), max_result_chars))
        shown.append(entry if day == before else f"({day}) {entry}")
    return shown


def earlier_entries(texts: Iterable[str]) -> list[str]:
    """Earlier summaries as entries."""
    return [f"summary of what came before: {escaped(text)}" for text in texts]


def result_chars(max_result_chars: int | None, calls: int) -> int | None:
    """How much of each result of a message with so many calls is shown; None: all."""
    return None if max_result_chars is None else max(LEAST_RESULT_CHARS, max_result_chars // max(1, calls))


def head_and_tail(text: str, limit: int | None) -> str:
    """The text, or its two ends and how much was left out between them; the mark of that comes on top."""
    if limit is None or len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]} …[{len(text) - head - tail} characters left out]… {text[len(text) - tail :]}"


def escaped(text: str) -> str:
    """The text with every kind of line break continued by a bar, and delimiters and marks of templates broken."""
    return CONTINUATION.join(_DELIMITER.sub(r"<\\\1", unmarked(printable(line))) for line in text.splitlines() or [""])


def _entry(message: Message, names: dict[str, str], max_result_chars: int | None) -> str:
    role = message.get("role")
    if role in ("tool", "function"):
        name = message.get("name") if role == "function" else names.get(str(message.get("tool_call_id")))
        return f"result of {_name(name)}: {escaped(head_and_tail(message.text, max_result_chars))}"
    calls = tool_calls(message)
    said = "\n".join([*_own_texts(message), *descriptions(message)])
    called = "".join(f" calls {_name(call.name)}({escaped(call.arguments)})" for call in calls)
    speaker = f"{role} ({_name(message.get('name'))})" if message.get("name") else str(role)
    return f"{speaker}: {escaped(said)}{called}" if said or not calls else f"{speaker}{called}"


def _own_texts(message: Message) -> list[str]:
    """What the message itself says; names and arguments of its calls are shown apart."""
    if not tool_calls(message):
        return text_fields(message)
    return [text for text in (content_text(message.get("content")),) if text]


def _name(name: object) -> str:
    return escaped(" ".join(str(name or "a tool").split())[:MAX_NAME_CHARS])
