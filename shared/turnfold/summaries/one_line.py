"""Any text as one line: what makes it impossible for content to forge a line of a summary."""

from __future__ import annotations

import re

# Control characters, marks that turn the direction of writing, and halves of a character that came without the other.
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(text: str) -> str:
    """The text with each run of whitespace as one space, and without what can't be shown."""
    if not text.isprintable():
        text = _LONE_SURROGATE.sub("\ufffd", _UNPRINTABLE.sub("", text))
    return " ".join(text.split())
