"""What a text will cost, about: cheap enough for every unit, where exact counts are for the finished text."""

from __future__ import annotations

import re

_CJK = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_PIECE = re.compile(rf"[a-zà-ÿ]+|[A-Z]{{1,2}}|\d{{1,3}}|{_CJK}|[^\s\w]{{1,2}}|_|[^\s\x00-\u024f]{{1,2}}")


def estimated_tokens(text: str) -> int:
    """About what a byte-pair encoding makes of it: pieces of words, three digits a token, a sign of Chinese each."""
    return len(_PIECE.findall(text))
