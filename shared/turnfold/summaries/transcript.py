"""The conversation as a summarizer reads it: numbered entries that content can't forge.

An entry is one message. It begins at the start of a line; every further line of it begins with a bar, so no line break
inside a message can look like the next entry.

    [1] user: Where is my crate?
      | It left on Monday.
    [2] assistant calls track({"crate": "DK-99812"})
    [3] result of track: {"port": "Esbjerg"}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from turnfold.content import text_fields, tool_calls
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message, content_text

CONTINUATION = "\n  | "
OPENING, CLOSING = "<transcript>", "</transcript>"
# A model reads these as the delimiters, too.
_DELIMITER = re.compile(r"<\s*(/?)\s*transcript\s*>", re.IGNORECASE)


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
    for message in messages:
        calls = tool_calls(message)
        share = max(200, max_result_chars // max(1, len(calls))) if max_result_chars is not None else None
        for call in calls:
            if call.id:
                names[call.id], limits[call.id] = call.name, share
        shown.append(_entry(message, names, limits.get(str(message.get("tool_call_id")), max_result_chars)))
    return shown


def earlier_entries(texts: Iterable[str]) -> list[str]:
    """Earlier summaries as entries."""
    return [f"summary of what came before: {escaped(text)}" for text in texts]


def head_and_tail(text: str, limit: int | None) -> str:
    """The text, or its two ends and how much was left out between them."""
    if limit is None or len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]} …[{len(text) - head - tail} characters left out]… {text[-tail:]}"


def escaped(text: str) -> str:
    """The text with every kind of line break continued by a bar, and the delimiters broken."""
    return CONTINUATION.join(_DELIMITER.sub(r"<\\\1transcript>", line) for line in text.splitlines() or [""])


def _entry(message: Message, names: dict[str, str], max_result_chars: int | None) -> str:
    role = message.get("role")
    if role in ("tool", "function"):
        name = message.get("name") if role == "function" else names.get(str(message.get("tool_call_id")))
        return f"result of {_name(name)}: {escaped(head_and_tail(message.text, max_result_chars))}"
    calls = tool_calls(message)
    said = "\n".join([*_own_texts(message), *_media(message)])
    called = [f"calls {_name(call.name)}({escaped(call.arguments)})" for call in calls]
    parts = [f": {escaped(said)}"] if said or not called else []
    return f"{role}{' '.join(parts)}" + "".join(f" {call}" for call in called)


def _own_texts(message: Message) -> list[str]:
    """What the message itself says; names and arguments of its calls are shown apart."""
    if not tool_calls(message):
        return text_fields(message)
    return [text for text in (content_text(message.get("content")),) if text]


def _media(message: Message) -> list[str]:
    content = message.get("content")
    kinds = [str(part.get("type")) for part in content if is_object(part)] if is_array(content) else []
    return [f"({kind})" for kind in kinds if kind in ("image_url", "input_audio", "file", "image_file")]


def _name(name: object) -> str:
    return escaped(" ".join(str(name or "a tool").split()))
