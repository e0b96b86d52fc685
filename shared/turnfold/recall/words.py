"""Texts as an index reads them: words apart, also where a language or a program writes none."""

from __future__ import annotations

import re

# Languages that are written without spaces: two characters each are a word to the index.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED_BREAK = re.compile(r"\\[nrt]")
# Encoded data: no one asks for it by its letters, and each run of it would be a word of its own.
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{160,}")
# With their marks: in many scripts vowels are marks.
_PART = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0ddf])*")
_WHOLE = re.compile(r"^\W+|\W+$")
_QUOTES = str.maketrans(dict.fromkeys("\"'’‘“”„«»`", " "))
MAX_QUERY_UNITS = 64
SHORTEST_STEM = 4
# What inflection adds to a word, more or less.
ENDING_CHARS = 2


def spaced(text: str) -> str:
    """The text with spaces wherever a word ends."""
    if "\\" in text:
        text = _ESCAPED_BREAK.sub(" ", _ESCAPED.sub(_character, text))
    text = _HUMP.sub(" ", _ENCODED.sub(" ", text.replace("\0", " ")))
    return text if text.isascii() else _UNSPACED.sub(_in_pairs, text).encode("utf-8", "replace").decode()


def matching_any(query: str) -> str:
    """An expression for FTS5: texts that have any of the query's words; empty where it has none."""
    return " OR ".join(f'"{unit}"' for unit in _units(query))


def matching_beginnings(query: str) -> str:
    """The same by how the words begin, for languages whose endings the index doesn't know."""
    stems = (unit[: max(SHORTEST_STEM, len(unit) - ENDING_CHARS)] for unit in _units(query) if unit.isalpha())
    return " OR ".join(f'"{stem}"*' for stem in dict.fromkeys(stems) if len(stem) >= SHORTEST_STEM)


def _units(query: str) -> list[str]:
    """The words of a query. What holds signs, as a date or an id does, is looked for as a whole, and by its parts."""
    units: dict[str, None] = {}
    for word in spaced(query).translate(_QUOTES).split():
        parts = _PART.findall(word)
        units |= dict.fromkeys([_WHOLE.sub("", word), *parts] if len(parts) > 1 else parts)
    return list(units)[:MAX_QUERY_UNITS]


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


def _in_pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(text[i : i + 2] for i in range(len(text) - 1)) or text} "
