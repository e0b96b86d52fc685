"""Any text as one line: what makes it impossible for content to forge a line of a summary."""

from __future__ import annotations

import re

MAX_WORD_CHARS = 100

# Control characters, marks that turn the direction of writing, and halves of a character that came without the other.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u2060\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_TORN_WORD = re.compile(r"[!-~]+\Z")
_UNPLAIN = re.compile(r"[^\w.-]+")
# Marks of chat templates: some servers read them as such wherever they stand.
_TEMPLATE_MARK = re.compile(r"<(?=[|｜]|/?(?:start|end)_of_turn>|</?sys>|/?s>)|\[(?=/?inst\])", re.IGNORECASE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """The text with each run of whitespace as one space, and without what can't be shown."""
    return " ".join(unmarked(printable(text)).split())


def printable(text: str) -> str:
    """The text without what can't be shown: what nobody sees must not be read either."""
    if text.isprintable():
        return text
    return _LONE_SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))


def unmarked(text: str) -> str:
    """The text with the marks of chat templates broken."""
    return _TEMPLATE_MARK.sub(r"\g<0>\\", text) if "<" in text or "[" in text else text


def word_end(text: str, end: int) -> int:
    """Where to cut a text at `end` or before, so that no word is cut: half a number would be another number.

    A word of more than a hundred signs is cut anyway.
    """
    if end >= len(text) or text[end].isspace():
        return end
    torn = _TORN_WORD.search(text, max(0, end - MAX_WORD_CHARS - 1), end)
    return torn.start() if torn and end - torn.start() <= MAX_WORD_CHARS and torn.start() > 0 else end


def plain_name(name: str) -> str:
    """A tool's name as a word: what is no letter, digit, dot or dash becomes an underscore."""
    return _UNPLAIN.sub("_", name)[:64]
